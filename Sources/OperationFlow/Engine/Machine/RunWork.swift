/// A piece of work that a lane claims from the state machine, performs, and settles.
package enum RunWork: Sendable, Hashable {
  /// Look at the conditions of a step, before anything else of it.
  case check(Int)
  /// Run a step's operation or closure.
  case step(Int)
  /// Find the branch of a cases step that matches.
  case choose(Int)
  /// Begin the steps of a flow that is a step, or the branches of a parallel step.
  case enter(Int)
  /// End them.
  case leave(Int)
  /// Find a group's items.
  case plan(Int)
  /// Wait for the next item of a group whose items come one after the other.
  case pull(Int)
  /// Run a group's operation or closure for one item.
  case item(Int, index: Int)
  /// Hand on the result of a group's item that has ended, and keeps its place in the width until then.
  case handOn(Int, index: Int)
  /// Do something about the failure of a step or item; the index is ``noItem`` outside groups.
  case recover(Int, index: Int)
  /// Settle a step or item whose time is over between two attempts.
  case expire(Int, index: Int)
  /// Undo what a step or item has done; the index is ``noItem`` outside groups.
  case undo(Int, index: Int)
  case collect(Int)
  case finish

  /// The index of what is no item; a plain number keeps claims small.
  package static let noItem = -1

  /// The index of the group's item; `nil` outside groups.
  package var item: Int? {
    switch self {
    case .item(_, let index), .handOn(_, let index): index
    case .recover(_, let index), .expire(_, let index), .undo(_, let index): index == Self.noItem ? nil : index
    case .check, .step, .choose, .enter, .leave, .plan, .pull, .collect, .finish: nil
    }
  }

  /// The work that was attempted, if it is what follows the last attempt; otherwise itself.
  package var attemptedWork: RunWork {
    switch self {
    case .recover(let step, let index), .expire(let step, let index):
      index == Self.noItem ? .step(step) : .item(step, index: index)
    case .check, .step, .item, .handOn, .choose, .enter, .leave, .plan, .pull, .undo, .collect, .finish: self
    }
  }

  /// What undoes it, if it is an attempt at a step or an item, or what followed its last attempt.
  var undoing: RunWork? {
    guard attemptedWork.isAttempt, let step else { return nil }
    return .undo(step, index: item ?? Self.noItem)
  }

  package var isAttempt: Bool {
    switch self {
    case .step, .item: true
    case .check, .handOn, .recover, .expire, .choose, .enter, .leave, .plan, .pull, .undo, .collect, .finish: false
    }
  }

  package var isPull: Bool { if case .pull = self { true } else { false } }
  var isUndo: Bool { if case .undo = self { true } else { false } }

  var beginsStep: Bool {
    switch self {
    case .step, .choose, .enter, .plan: true
    case .check, .leave, .pull, .item, .handOn, .recover, .expire, .undo, .collect, .finish: false
    }
  }

  /// The step that it belongs to; `nil` for the end of the run.
  package var step: Int? {
    switch self {
    case .check(let step), .step(let step), .choose(let step), .enter(let step), .leave(let step), .plan(let step),
      .pull(let step), .collect(let step), .item(let step, _), .handOn(let step, _), .recover(let step, _),
      .expire(let step, _), .undo(let step, _):
      step
    case .finish: nil
    }
  }

  /// Bookkeeping continues while a run is paused; what begins a user's work waits.
  var isBookkeeping: Bool {
    switch self {
    case .check, .step, .item, .handOn, .recover, .expire, .undo, .plan, .pull: false
    case .choose, .enter, .leave, .collect, .finish: true
    }
  }
}

package enum RunResult: Sendable {
  case settled(Settlement)
  /// An attempt has failed, with what that means for the next one.
  case failed(any Error, RetryAdvice)
  /// A step's condition is not met.
  case skipped
  /// A branch was chosen; `nil` if none matches.
  case chosen(Blueprint.BlockID?)
  /// The steps of a flow that is a step begin, or the branches of a parallel step.
  case entered
  /// A group has this many items; `nil` if they have to be pulled.
  case planned(count: Int?, width: Int, tolerance: FlowTolerance)
  /// A group's next item has come, or there are no more.
  case pulled(isItem: Bool)

  /// Whether a group's next item has come; `nil` for any other result.
  var pulledItem: Bool? { if case .pulled(let isItem) = self { isItem } else { nil } }

  /// The result as an end; a result that can only be a beginning isn't one.
  var settlement: Settlement { attemptEnd?.settlement ?? .failed(FlowError.unexpectedResult) }

  /// How an attempt has ended, with what that means for the next one; `nil` for a result that isn't an end.
  var attemptEnd: (settlement: Settlement, advice: RetryAdvice)? {
    switch self {
    case .settled(let settlement): (settlement, .byPlan)
    case .failed(let error, let advice): (.failed(error), advice)
    case .skipped, .chosen, .entered, .planned, .pulled: nil
    }
  }
}
