// Where work runs. Synchronous code of users may block its thread, so it has threads of its own; asynchronous code and the
// run's own bookkeeping run on the language's pool.
extension RunEngine {
  /// True if work may block the thread that performs it.
  func mayBlock(_ work: RunWork) -> Bool {
    guard let step = work.step else { return false }
    switch work.kind {
    case .choose, .enter, .leave, .plan, .collect, .recover, .expire, .handOn, .finish: return false
    case .check: return true
    // Items that need a thread are asked for there, so that they start in their order.
    case .pull: return performer.group(step).map { $0.pullsMayBlock || mayBlock($0) } ?? true
    case .step: return mayBlock(blueprint.steps[step].kind)
    case .item: return performer.group(step).map { mayBlock($0) } ?? true
    case .undo:
      if case .closure? = blueprint.steps[step].options?.undo?.work { return false }
      return true
    }
  }

  private func mayBlock(_ step: Blueprint.Step.Kind) -> Bool {
    switch step {
    case .operation(.factory(let type, _)): !type.onlyRuns
    case .operation(.instance(let instance)): instance.held.map { !OperationType.of(type(of: $0)).onlyRuns } ?? false
    case .closure(.async): false
    case .closure(.sync), .group, .cases, .flow, .parallel: true
    }
  }

  private func mayBlock(_ group: GroupStep) -> Bool {
    switch group.body {
    case .closure: true
    case .asyncClosure: false
    case .operation: group.creator.map { !OperationType.of($0).onlyRuns } ?? true
    }
  }

  /// True if the first work of the run can be performed in a task.
  var beginsAsynchronously: Bool {
    guard let first = blueprint.blocks[Blueprint.root].steps.first else { return false }
    return !blueprint.has(any: .condition, at: first) && !mayBlock(blueprint.steps[first].kind)
  }
}
