@testable import OperationFlow

/// What a state machine has to ask for after an input, with claims, and the timers that belong to them, by number.
struct ReferenceEffects: Sendable {
  /// What a timer is for, by claims.
  enum Timer: Sendable, Hashable {
    /// The time of an attempt, or all attempts from the first one on.
    case attempt(Int), allAttempts(first: Int)
    /// The time before the attempt after a failed one, or until work that has timed out is abandoned.
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
  /// Claims that are not waited for any longer.
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

  /// Whether it can say how far it has come.
  var reportsProgress: Bool { kind == .step || kind == .item }

  /// The same work of another step.
  func of(_ step: Blueprint.StepID) -> RunWork { RunWork(kind, of: step, item: item) }
}
