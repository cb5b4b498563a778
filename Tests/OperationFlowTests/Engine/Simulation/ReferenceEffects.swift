@testable import OperationFlow

/// What a state machine has to ask for after an input, with claims, and the timers that belong to them, by number.
struct ReferenceEffects: Sendable {
  var cancelled: [Int] = []
  /// The claims whose timers are stopped.
  var stopped: [Int] = []
  /// The time after which the settled claim is tried again.
  var delay: Int?
  var stoppedGroup: Int?
  /// Steps that end without an end of their own, in any order.
  var closed: [Int] = []

  static func + (first: ReferenceEffects, second: ReferenceEffects) -> ReferenceEffects {
    ReferenceEffects(
      cancelled: first.cancelled + second.cancelled, stopped: first.stopped + second.stopped,
      delay: first.delay ?? second.delay, stoppedGroup: first.stoppedGroup ?? second.stoppedGroup,
      closed: first.closed + second.closed)
  }

  var isEmpty: Bool {
    cancelled.isEmpty && stopped.isEmpty && delay == nil && stoppedGroup == nil && closed.isEmpty
  }
}

extension RunWork {
  /// The step that it belongs to; `nil` for the end of the run.
  var stepID: Blueprint.StepID? {
    switch self {
    case .step(let step), .choose(let step), .enter(let step), .leave(let step), .plan(let step), .pull(let step),
      .item(let step, _), .collect(let step):
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
    case .step: .step(step)
    case .choose: .choose(step)
    case .enter: .enter(step)
    case .leave: .leave(step)
    case .plan: .plan(step)
    case .pull: .pull(step)
    case .item(_, let index): .item(step, index: index)
    case .collect: .collect(step)
    case .finish: .finish
    }
  }
}
