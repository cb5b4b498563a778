import OperationFlow
import OperationFlowDurable

/// How a command ended; `Help.text` describes the codes.
enum ExitCode: Int32, Sendable {
  case done = 0
  case damageFound, usage, unknownRun, hasEnded, hasNotEnded, inUse, storeUnusable, damaged, invalidSignal, notConfirmed
  case notRetryable, fileUnwritable

  /// The code of an error of a store.
  init(_ error: FlowError) {
    self =
      switch error.code {
      case .unknownRun: .unknownRun
      case .runNotWaiting: .hasEnded
      case .unfinishedRun: .hasNotEnded
      case .runInUse: .inUse
      case .unreadableJournal: .damaged
      case .missingData, .valueNotStorable: .invalidSignal
      case .notRetryable: .notRetryable
      default: .storeUnusable
      }
  }
}

/// What ends a command before it is done.
struct Refusal: Error {
  let code: ExitCode
  let problem: String
  let remedy: String

  /// A command line that can't be understood.
  static func usage(_ problem: String, _ remedy: String) -> Refusal {
    Refusal(code: .usage, problem: problem, remedy: remedy + " See flow-store --help.")
  }
}
