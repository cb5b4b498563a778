/// One piece of work that a lane claims from the state machine, performs, and settles.
enum RunWork: Sendable, Hashable {
  /// Run a step's operation.
  case operation(Blueprint.StepID)
  /// Look which branch of a cases step fits.
  case choose(Blueprint.StepID)
  /// Ask a group's dispatcher for the items.
  case plan(Blueprint.StepID)
  /// Run a group's operation for one item.
  case item(Blueprint.StepID, index: Int)
  /// Ask a group's dispatcher for what it collects.
  case collect(Blueprint.StepID)
  /// End the run.
  case finish

  /// Bookkeeping goes on while a run is paused; only what runs a user's operation waits.
  var isBookkeeping: Bool {
    switch self {
    case .operation, .item, .plan: false
    case .choose, .collect, .finish: true
    }
  }

  var step: Blueprint.StepID? {
    switch self {
    case .operation(let step), .choose(let step), .plan(let step), .collect(let step): step
    case .item(let step, _): step
    case .finish: nil
    }
  }
}

/// What a piece of work came to.
enum RunResult: Sendable {
  case settled(Settlement)
  /// A branch was chosen; `nil` where none fits.
  case chosen(Blueprint.BlockID?)
  /// A group has so many items.
  case planned(count: Int, width: Int, toleratesFailure: Bool)
}
