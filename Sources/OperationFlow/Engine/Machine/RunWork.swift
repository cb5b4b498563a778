/// One piece of work that a lane claims from the state machine, performs, and settles.
enum RunWork: Sendable, Hashable {
  /// Run a step's operation or closure.
  case step(Blueprint.StepID)
  /// Find the branch of a cases step that matches.
  case choose(Blueprint.StepID)
  /// Begin the steps of a flow that is a step, or the branches of a parallel step.
  case enter(Blueprint.StepID)
  /// End them.
  case leave(Blueprint.StepID)
  /// Find a group's items.
  case plan(Blueprint.StepID)
  /// Wait for the next item of a group whose items come one after the other.
  case pull(Blueprint.StepID)
  /// Run a group's operation or closure for one item.
  case item(Blueprint.StepID, index: Int)
  /// Write what a group collects.
  case collect(Blueprint.StepID)
  /// End the run.
  case finish

  /// The index of the group's item; `nil` outside groups.
  var item: Int? {
    if case .item(_, let index) = self { index } else { nil }
  }

  /// Whether it is the first work of a step.
  var beginsStep: Bool {
    switch self {
    case .step, .choose, .enter, .plan: true
    case .leave, .pull, .item, .collect, .finish: false
    }
  }

  /// Bookkeeping continues while a run is paused; what begins a user's work waits.
  var isBookkeeping: Bool {
    switch self {
    case .step, .item, .plan, .pull: false
    case .choose, .enter, .leave, .collect, .finish: true
    }
  }
}

/// The result of a piece of work.
enum RunResult: Sendable {
  case settled(Settlement)
  /// A branch was chosen; `nil` if none matches.
  case chosen(Blueprint.BlockID?)
  /// The steps of a flow that is a step begin, or the branches of a parallel step.
  case entered
  /// A group has this many items; `nil` if they have to be pulled.
  case planned(count: Int?, width: Int, tolerance: FlowTolerance)
  /// A group's next item has come, or there are no more.
  case pulled(isItem: Bool)

  /// The result as an end; a result that can only be a beginning isn't one.
  var settlement: Settlement {
    if case .settled(let settlement) = self { settlement } else { .failed(FlowError.misfit) }
  }
}
