import OperationFlow
import OperationFlowDurable

/// The exit code of a command; `Help.text` describes the codes.
enum ExitCode: Int32, Sendable {
  case done = 0
  case damageFound, usage, unknownRun, hasEnded, hasNotEnded, inUse, storeUnusable, damaged, invalidSignal, notConfirmed
  case notRetryable, fileUnwritable

  /// Creates the code for an error of a store.
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

/// The error that ends a command before it is done.
struct Refusal: Error {
  let code: ExitCode
  let problem: String
  let remedy: String

  /// Returns the error for an invalid command line.
  static func usage(_ problem: String, _ remedy: String) -> Refusal {
    Refusal(code: .usage, problem: problem, remedy: remedy + " See flow-store --help.")
  }
}
