/// A piece of work that a lane claims from the state machine, performs, and settles.
package struct RunWork: Sendable, Hashable {
  package enum Kind: Sendable {
    /// Check the conditions of a step, before anything else of it.
    case check
    /// Run a step's operation or closure.
    case step
    /// Find the branch of a cases step that matches.
    case choose
    /// Begin the steps of a flow that is a step, or the branches of a parallel step.
    case enter
    /// End the flow that is a step, or the parallel step.
    case leave
    /// Find a group's items.
    case plan
    /// Wait for the next item of a group whose items arrive one after the other.
    case pull
    /// Run a group's operation or closure for one item.
    case item
    /// Deliver the result of a group's item that has ended; the item occupies its place in the width until then.
    case deliver
    /// Recover from the last failure of a step or item.
    case recover
    /// Settle a step or item whose total time ran out between two attempts.
    case expire
    /// Undo what a step or item has done.
    case undo
    case collect
    case finish
  }

  private let stepID: Int
  /// -1 outside groups; a plain number makes claims small.
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

  /// The step or item that a recovery or an expiry belongs to; otherwise the work itself.
  package var attemptedWork: RunWork {
    kind == .recover || kind == .expire ? RunWork(index < 0 ? .step : .item, of: stepID, item: item) : self
  }

  /// The undo of an attempt at a step or an item, or of its aftermath; `nil` for other work.
  var undoing: RunWork? { attemptedWork.isAttempt ? RunWork(.undo, of: stepID, item: item) : nil }

  package var isAttempt: Bool { kind == .step || kind == .item }

  /// True for an undo or a recovery, whose code may continue after the claim has ended.
  var isFollowUp: Bool { kind == .undo || kind == .recover }

  /// True for work whose end is normally an event, and which may leave results.
  var leavesResults: Bool {
    switch kind {
    case .step, .item, .recover, .expire, .undo, .pull, .deliver: true
    case .check, .choose, .enter, .leave, .plan, .collect, .finish: false
    }
  }

  var beginsStep: Bool { kind == .step || kind == .choose || kind == .enter || kind == .plan }

  /// True for bookkeeping, which continues while a run is paused; work that begins users' code waits.
  var isBookkeeping: Bool {
    switch kind {
    case .check, .step, .item, .deliver, .recover, .expire, .undo, .plan, .pull: false
    case .choose, .enter, .leave, .collect, .finish: true
    }
  }
}

package enum RunResult: Sendable {
  case settled(Settlement)
  /// An attempt failed; another one may follow after the delay.
  case failed(any Error, retriedAfter: Duration)
  /// A step's condition is not met.
  case skipped
  /// A branch was chosen; `nil` if no case matches.
  case chosen(Blueprint.BlockID?)
  /// The steps of a flow that is a step begin, or the branches of a parallel step.
  case entered
  /// A group has this many items; `nil` if they have to be pulled. The progress then counts with the expected number.
  indirect case planned(count: Int?, expected: Int? = nil, width: Int, tolerance: FlowTolerance)
  /// A group's next item has arrived, or there are no more.
  case pulled(isItem: Bool)

  /// True if a group's next item has arrived, false if there are no more; `nil` for any other result.
  var pulledItem: Bool? { if case .pulled(let isItem) = self { isItem } else { nil } }

  /// The result as an end; a failure if the result isn't one.
  var settlement: Settlement { end ?? .failed(FlowError.unexpectedResult) }

  /// The delay before another attempt; `nil` if none may follow.
  var retryDelay: Duration? { if case .failed(_, let delay) = self { delay } else { nil } }

  /// The end of the work; `nil` for a result that isn't an end.
  var end: Settlement? {
    switch self {
    case .settled(let settlement): settlement
    case .failed(let error, _): .failed(error)
    case .skipped, .chosen, .entered, .planned, .pulled: nil
    }
  }
}
