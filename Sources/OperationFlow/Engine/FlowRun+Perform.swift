extension FlowRun {
  /// Performs a piece of work in this thread; what comes back is the next, where the lane goes on.
  func perform(_ claim: Claim) -> Claim? {
    switch claim.work {
    case .step(let step): return runStep(claim, step)
    case .item: return runItems(claim)
    case .pull(let step): return pullItem(claim, blueprint.steps[step].name)
    case .choose(let step): return settle(claim.slot, chooseBranch(step), lane: .goesOn)
    case .enter(let step): return enterFlow(claim, blueprint.steps[step])
    case .leave(let step): return settle(claim.slot, leaveFlow(blueprint.steps[step]), lane: .goesOn)
    case .plan(let step): return settle(claim.slot, planGroup(step), lane: .goesOn)
    case .collect: return settle(claim.slot, collectGroup(), lane: .goesOn)
    case .finish:
      finish()
      return nil
    }
  }

  private func runStep(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    let source = FlowEvent.Source(blueprint.steps[step].name)
    switch blueprint.steps[step].kind {
    case .operation(.instance(let instance)):
      return run(claim.slot, source, type: nil, isReserved: true) {
        guard let operation = instance.take() else { throw FlowError.usedTwice(source.name) }
        return operation
      }
    case .operation(.factory(let type, let make)):
      return run(claim.slot, source, type: type) { make() }
    case .closure(.sync(let body)):
      return runClosure(FlowContext(run: self, source: source, slot: claim.slot), hasStarted: claim.hasStarted) {
        context in
        try body(context)
        return nil
      }
    case .closure(.async(let body)):
      return runTask(FlowContext(run: self, source: source, slot: claim.slot), hasStarted: claim.hasStarted) {
        context in
        try await body(context)
        return nil
      }
    case .group, .cases, .flow:
      return nil
    }
  }

  // MARK: Items

  /// Runs a group's items one after the other, for as long as they end in this thread.
  private func runItems(_ first: Claim) -> Claim? {
    let (group, items) = state.withLock { ($0.group?.step, $0.group?.allItems) }
    guard let group else { return nil }
    // What all items share is taken out of the loop: lanes that count references to one object hinder each other.
    var context = FlowContext(run: self, source: FlowEvent.Source(group.itemName), slot: first.slot)
    switch group.body {
    case .closure(let body):
      return eachItem(first, items, &context) { item, context, hasStarted, lane in
        runClosure(context, hasStarted: hasStarted, lane: lane) { try body(item, $0) }
      }
    case .asyncClosure(let body):
      return eachItem(first, items, &context) { item, context, hasStarted, _ in
        runTask(context, hasStarted: hasStarted) { try await body(item, $0) }
      }
    case .operation(let make):
      let type = group.operationType
      return eachItem(first, items, &context) { item, context, _, lane in
        run(context.slot, context.source, type: type, lane: lane) {
          try make(item, context.source.item ?? 0)
        } scope: { operation, type in
          scope(of: operation, type, item, group, isSensitive: items?.isSensitive ?? false)
        }
      }
    }
  }

  @inline(__always)
  private func eachItem(
    _ first: Claim, _ items: FlowGroupItems?, _ context: inout FlowContext,
    _ run: (any Sendable, FlowContext, _ hasStarted: Bool, LaneUse) -> Claim?
  ) -> Claim? {
    var next: Claim? = first
    // One bit for each of the last items: where lanes mostly meet, items are so short that one lane is faster alone.
    var contention: UInt8 = 0
    while let claim = next, let index = claim.work.item {
      contention = contention << 1 | (claim.wasContended ? 1 : 0)
      let lane = contention.nonzeroBitCount > 4 ? LaneUse.rests : .goesOn
      context.slot = claim.slot
      context.source.item = index
      if let items {
        next = run(items[index], context, claim.hasStarted, lane)
      } else {
        // What is pulled from a stream is kept under the lock, and for no longer than its item runs.
        guard let item = state.withLock({ $0.group?.item(at: index) }) else { return nil }
        next = run(item, context, claim.hasStarted, lane)
      }
    }
    return next
  }

  /// The values of an item's operation: at first, the item.
  private func scope(
    of operation: FlowOperation, _ type: OperationType, _ item: any Sendable, _ group: GroupStep, isSensitive: Bool
  ) -> ItemScope {
    let inputName = operation.primaryInputName(type)
    var sensitiveNames: Set<String> = isSensitive ? [inputName] : []
    if group.hidesOutputs || bucket.isSensitive(group.ports.output?.name ?? "") {
      sensitiveNames.insert(operation.primaryOutputName(type))
    }
    return ItemScope(inputName: inputName, input: item, sensitiveNames: sensitiveNames)
  }

  // MARK: Flows as steps

  private func enterFlow(_ claim: Claim, _ step: Blueprint.Step) -> Claim? {
    let source = FlowEvent.Source(step.name)
    guard case .flow(let block, let data, let sensitiveNames) = step.kind, willStart(claim.slot, source) else {
      return settle(claim.slot, .settled(.cancelled), lane: .goesOn)
    }
    bucket.markSensitive(sensitiveNames)
    for (name, value) in data.sorted(by: { $0.key < $1.key }) where !bucket.contains(name) {
      bucket.write(value, named: name)
    }
    return settle(claim.slot, .entered(block), lane: .goesOn) { state, _, record, now in
      // Cancelled meanwhile, it has begun, and the state machine does not come to know of it.
      if state.machine.isStopping { record.append(.finished(.cancelled), source: source, at: now) }
    }
  }

  private func leaveFlow(_ step: Blueprint.Step) -> RunResult {
    .settled(recordEnd(.succeeded, of: FlowEvent.Source(step.name)))
  }
}
