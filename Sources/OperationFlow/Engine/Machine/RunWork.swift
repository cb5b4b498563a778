/// A piece of work that a lane claims from the state machine, performs, and settles.
package struct RunWork: Sendable, Hashable {
  package enum Kind: Sendable {
    /// Look at the conditions of a step, before anything else of it.
    case check
    /// Run a step's operation or closure.
    case step
    /// Find the branch of a cases step that matches.
    case choose
    /// Begin the steps of a flow that is a step, or the branches of a parallel step.
    case enter
    /// End them.
    case leave
    /// Find a group's items.
    case plan
    /// Wait for the next item of a group whose items come one after the other.
    case pull
    /// Run a group's operation or closure for one item.
    case item
    /// Hand on the result of a group's item that has ended, and keeps its place in the width until then.
    case handOn
    /// Do something about the failure of a step or item.
    case recover
    /// Settle a step or item whose time is over between two attempts.
    case expire
    /// Undo what a step or item has done.
    case undo
    case collect
    case finish
  }

  private let stepID: Int
  /// -1 outside groups; a plain number keeps claims small.
  private let index: Int
  package let kind: Kind

  package init(_ kind: Kind, of step: Int, item: Int? = nil) {
    self.kind = kind
    stepID = step
    index = item ?? -1
  }

  static var finish: RunWork { RunWork(.finish, of: 0) }

  /// The step that it belongs to; `nil` for the end of the run.
  package var step: Int? { kind == .finish ? nil : stepID }

  /// The index of the group's item; `nil` outside groups.
  package var item: Int? { index < 0 ? nil : index }

  /// The work that was attempted, if it is what follows the last attempt; otherwise itself.
  package var attemptedWork: RunWork {
    kind == .recover || kind == .expire ? RunWork(index < 0 ? .step : .item, of: stepID, item: item) : self
  }

  /// What undoes it, if it is an attempt at a step or an item, or what followed its last attempt.
  var undoing: RunWork? { attemptedWork.isAttempt ? RunWork(.undo, of: stepID, item: item) : nil }

  package var isAttempt: Bool { kind == .step || kind == .item }

  /// True for what follows the work of a step or an item: its code may go on after its claim has ended.
  var isFollowUp: Bool { kind == .undo || kind == .recover }

  /// True for work of the user's whose end is an event, and which may leave results.
  var leavesResults: Bool {
    switch kind {
    case .step, .item, .recover, .expire, .undo, .pull, .handOn: true
    case .check, .choose, .enter, .leave, .plan, .collect, .finish: false
    }
  }

  var beginsStep: Bool { kind == .step || kind == .choose || kind == .enter || kind == .plan }

  /// Bookkeeping continues while a run is paused; what begins a user's work waits.
  var isBookkeeping: Bool {
    switch kind {
    case .check, .step, .item, .handOn, .recover, .expire, .undo, .plan, .pull: false
    case .choose, .enter, .leave, .collect, .finish: true
    }
  }
}

package enum RunResult: Sendable {
  case settled(Settlement)
  /// An attempt has failed, and another one may come after a delay.
  case failed(any Error, retriedAfter: Duration)
  /// A step's condition is not met.
  case skipped
  /// A branch was chosen; `nil` if none matches.
  case chosen(Blueprint.BlockID?)
  /// The steps of a flow that is a step begin, or the branches of a parallel step.
  case entered
  /// A group has this many items; `nil` if they have to be pulled.
  indirect case planned(count: Int?, width: Int, tolerance: FlowTolerance)
  /// A group's next item has come, or there are no more.
  case pulled(isItem: Bool)

  /// Whether a group's next item has come; `nil` for any other result.
  var pulledItem: Bool? { if case .pulled(let isItem) = self { isItem } else { nil } }

  /// The result as an end; a result that can only be a beginning isn't one.
  var settlement: Settlement { end ?? .failed(FlowError.unexpectedResult) }

  /// The delay before another attempt; `nil` if none may come.
  var retryDelay: Duration? { if case .failed(_, let delay) = self { delay } else { nil } }

  /// How the work has ended; `nil` for a result that isn't an end.
  var end: Settlement? {
    switch self {
    case .settled(let settlement): settlement
    case .failed(let error, _): .failed(error)
    case .skipped, .chosen, .entered, .planned, .pulled: nil
    }
  }
}
