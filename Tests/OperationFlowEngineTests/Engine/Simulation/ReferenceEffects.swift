@testable import OperationFlow

/// The effects that the model expects after an input, with claims and their timers identified by number.
struct ReferenceEffects: Sendable {
  /// The purpose of a timer, with the numbers of its claims.
  enum Timer: Sendable, Hashable {
    /// The time limit of one attempt, or of all attempts from the first one on.
    case attempt(Int), allAttempts(first: Int)
    /// The delay after a failed attempt, or the time until work that has timed out is abandoned.
    case delay(after: Int), patience(Int)
    case deadline
  }

  struct Start: Sendable, Hashable {
    let timer: Timer
    let time: Int
  }

  var cancelled: [Int] = []
  var stopped: [Timer] = []
  var started: [Start] = []
  /// Claims that the run no longer waits for.
  var abandoned: [Int] = []
  /// Steps whose retries the budget doesn't allow.
  var denied: [Int] = []
  var stoppedGroup: Int?
  /// Cases that end with their branch, in any order.
  var combined: [Int] = []
  /// Steps that were cut off and end, in any order.
  var closed: [Int] = []

  static func + (first: ReferenceEffects, second: ReferenceEffects) -> ReferenceEffects {
    ReferenceEffects(
      cancelled: first.cancelled + second.cancelled, stopped: first.stopped + second.stopped,
      started: first.started + second.started, abandoned: first.abandoned + second.abandoned,
      denied: first.denied + second.denied, stoppedGroup: first.stoppedGroup ?? second.stoppedGroup,
      combined: first.combined + second.combined, closed: first.closed + second.closed)
  }

  var isEmpty: Bool {
    cancelled.isEmpty && stopped.isEmpty && started.isEmpty && abandoned.isEmpty && denied.isEmpty
      && stoppedGroup == nil && combined.isEmpty && closed.isEmpty
  }
}

extension RunWork: CustomStringConvertible {
  /// A text such as `item 2 #0`.
  public var description: String { "\(kind)" + (step.map { " \($0)" } ?? "") + (item.map { " #\($0)" } ?? "") }

  /// True if the work can report its progress.
  var reportsProgress: Bool { kind == .step || kind == .item }

  /// Returns this work for another step.
  func of(_ step: Blueprint.StepID) -> RunWork { RunWork(kind, of: step, item: item) }
}
