extension FlowRun {
  /// Performs a piece of work in this thread.
  ///
  /// True where it is settled when this returns; else it settles later, from elsewhere.
  func perform(_ work: RunWork) -> Bool {
    switch work {
    case .step(let step): return runStep(work, blueprint.steps[step])
    case .item(_, let index): return runItem(work, index)
    case .pull(let step): return pullItem(work, blueprint.steps[step].name)
    case .choose(let step): settle(work, chooseBranch(step))
    case .enter(let step): settle(work, enterFlow(blueprint.steps[step]))
    case .leave(let step): settle(work, leaveFlow(blueprint.steps[step]))
    case .plan(let step): settle(work, planGroup(step))
    case .collect: settle(work, collectGroup())
    case .finish: finish()
    }
    return true
  }

  private func runStep(_ work: RunWork, _ step: Blueprint.Step) -> Bool {
    switch step.kind {
    case .operation(let source):
      return run(work, name: step.name, isReserved: source.isReserved) { (try source.make(step.name), nil) }
    case .closure(.sync(let body)):
      return runClosure(work, FlowEvent.Source(step.name)) { context in
        try body(context)
        return nil
      }
    case .closure(.async(let body)):
      return runTask(work, FlowEvent.Source(step.name)) { context in
        try await body(context)
        return nil
      }
    case .group, .cases, .flow:
      return true
    }
  }

  private func runItem(_ work: RunWork, _ index: Int) -> Bool {
    let claimed = state.withLock { state in
      state.group.flatMap { group in group.item(at: index).map { (group.step, $0, group.isSensitive) } }
    }
    guard let (step, item, isSensitive) = claimed else { return true }
    switch step.body {
    case .operation(let make):
      return run(work, name: step.itemName, item: index) {
        let operation = try make(item, index)
        let inputName = operation.primaryInputName
        var sensitiveNames: Set<String> = isSensitive ? [inputName] : []
        if step.hidesOutputs || bucket.isSensitive(step.ports.output?.name ?? "") {
          sensitiveNames.insert(operation.primaryOutputName)
        }
        return (operation, ItemScope(inputName: inputName, input: item, sensitiveNames: sensitiveNames))
      }
    case .closure(let body):
      return runClosure(work, FlowEvent.Source(step.itemName, item: index)) { try body(item, $0) }
    case .asyncClosure(let body):
      return runTask(work, FlowEvent.Source(step.itemName, item: index)) { try await body(item, $0) }
    }
  }

  // MARK: Flows as steps

  private func enterFlow(_ step: Blueprint.Step) -> RunResult {
    guard case .flow(let block, let data, let sensitiveNames) = step.kind else { return .settled(.succeeded) }
    recorder.record(.started, source: FlowEvent.Source(step.name))
    bucket.markSensitive(sensitiveNames)
    for (name, value) in data.sorted(by: { $0.key < $1.key }) where !bucket.contains(name) {
      bucket.write(value, named: name)
    }
    return .entered(block)
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
