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

extension RunWork {
  /// The step that it belongs to; `nil` for the end of the run.
  var stepID: Blueprint.StepID? {
    switch self {
    case .check(let step), .step(let step), .choose(let step), .enter(let step), .leave(let step), .plan(let step),
      .pull(let step), .item(let step, _), .handOn(let step, _), .recover(let step, _), .expire(let step, _),
      .undo(let step, _), .collect(let step):
      step
    case .finish: nil
    }
  }

  /// Whether it can say how far it has come.
  var reportsProgress: Bool {
    switch self {
    case .step, .item: true
    default: false
    }
  }

  /// The same work of another step.
  func of(_ step: Blueprint.StepID) -> RunWork {
    switch self {
    case .check: .check(step)
    case .step: .step(step)
    case .choose: .choose(step)
    case .enter: .enter(step)
    case .leave: .leave(step)
    case .plan: .plan(step)
    case .pull: .pull(step)
    case .item(_, let index): .item(step, index: index)
    case .handOn(_, let index): .handOn(step, index: index)
    case .recover(_, let index): .recover(step, index: index)
    case .expire(_, let index): .expire(step, index: index)
    case .undo(_, let index): .undo(step, index: index)
    case .collect: .collect(step)
    case .finish: .finish
    }
  }
}
