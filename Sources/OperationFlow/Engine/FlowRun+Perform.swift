extension FlowRun {
  /// Performs a piece of work in this thread, and says how its lane goes on.
  func perform(_ claim: Claim) -> LaneStep {
    switch claim.work {
    case .step(let step): return runStep(claim, blueprint.steps[step])
    case .item(_, let index): return runItem(claim, index)
    case .pull(let step): return pullItem(claim, blueprint.steps[step].name)
    case .choose(let step): return settle(claim.slot, chooseBranch(step), inLane: true)
    case .enter(let step): return enterFlow(claim, blueprint.steps[step])
    case .leave(let step): return settle(claim.slot, leaveFlow(blueprint.steps[step]), inLane: true)
    case .plan(let step): return settle(claim.slot, planGroup(step), inLane: true)
    case .collect: return settle(claim.slot, collectGroup(), inLane: true)
    case .finish:
      finish()
      return .leave
    }
  }

  private func runStep(_ claim: Claim, _ step: Blueprint.Step) -> LaneStep {
    switch step.kind {
    case .operation(let source):
      return run(claim, name: step.name, isReserved: source.isReserved) { (try source.make(step.name), nil) }
    case .closure(.sync(let body)):
      return runClosure(claim, FlowEvent.Source(step.name)) { context in
        try body(context)
        return nil
      }
    case .closure(.async(let body)):
      return runTask(claim, FlowEvent.Source(step.name)) { context in
        try await body(context)
        return nil
      }
    case .group, .cases, .flow:
      return .leave
    }
  }

  private func runItem(_ claim: Claim, _ index: Int) -> LaneStep {
    guard let step = claim.group, let item = claim.item else { return .leave }
    switch step.body {
    case .operation(let make):
      return run(claim, name: step.itemName, item: index) {
        let operation = try make(item, index)
        let inputName = operation.primaryInputName
        var sensitiveNames: Set<String> = claim.isSensitive ? [inputName] : []
        if step.hidesOutputs || bucket.isSensitive(step.ports.output?.name ?? "") {
          sensitiveNames.insert(operation.primaryOutputName)
        }
        return (operation, ItemScope(inputName: inputName, input: item, sensitiveNames: sensitiveNames))
      }
    case .closure(let body):
      return runClosure(claim, FlowEvent.Source(step.itemName, item: index)) { try body(item, $0) }
    case .asyncClosure(let body):
      return runTask(claim, FlowEvent.Source(step.itemName, item: index)) { try await body(item, $0) }
    }
  }

  // MARK: Flows as steps

  private func enterFlow(_ claim: Claim, _ step: Blueprint.Step) -> LaneStep {
    let source = FlowEvent.Source(step.name)
    guard case .flow(let block, let data, let sensitiveNames) = step.kind, willStart(claim.slot, source) else {
      return settle(claim.slot, .settled(.cancelled), inLane: true)
    }
    bucket.markSensitive(sensitiveNames)
    for (name, value) in data.sorted(by: { $0.key < $1.key }) where !bucket.contains(name) {
      bucket.write(value, named: name)
    }
    return settle(claim.slot, .entered(block), inLane: true) { state, _ in
      // Cancelled meanwhile, it has begun, and the state machine does not come to know of it.
      state.machine.isStopping && recorder.append(.finished(.cancelled), source: source)
    }
  }

  private func leaveFlow(_ step: Blueprint.Step) -> RunResult {
    .settled(recordEnd(.succeeded, of: FlowEvent.Source(step.name)))
  }
}

extension OperationSource {
  /// Whether the run has reserved the operation when it started.
  fileprivate var isReserved: Bool {
    if case .instance = self { true } else { false }
  }

  /// The operation.
  fileprivate func make(_ name: String) throws(FlowError) -> FlowOperation {
    switch self {
    case .instance(let instance):
      guard let operation = instance.take() else { throw FlowError.usedTwice(name) }
      return operation
    case .factory(_, let make):
      return make()
    }
  }
}
