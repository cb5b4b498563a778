extension StepPerformer {
  func group(_ step: Blueprint.StepID) -> GroupStep? {
    if case .group(let group) = engine.blueprint.steps[step].kind { group } else { nil }
  }

  // MARK: The group itself

  package func plan(_ step: Blueprint.StepID) -> RunResult {
    guard let group = group(step) else { return .settled(.succeeded) }
    let source = FlowEvent.Source(group.name, step: step)
    let results = engine.blueprint.steps[step].options?.results
    guard group.width >= 1 else { return .settled(.failed(FlowError.invalidWidth(group.width))) }
    if let error = group.tolerance.error { return .settled(.failed(error)) }
    let run: GroupRun
    switch group.source {
    case .stream(_, let make):
      engine.recorder.record(.groupStarted, source: source)
      run = GroupRun(group, nil, make(), results)
    case .items(let find):
      let items: FlowGroupItems
      do { items = try find(engine.bucket) } catch { return .settled(Settlement(error)) }
      // Items that are in no bucket are known to be secret by this alone.
      if items.isSensitive, !engine.bucket.isSensitive(items.name) {
        for index in 0..<min(items.count, SecretTexts.limit) { engine.recorder.hide(value: items[index]) }
      }
      engine.recorder.record(.groupCreated(count: items.count), source: source)
      if items.count == 0 {
        let name = ValueText.name(items.name)
        engine.recorder.record(.groupIsEmpty(input: name), source: source.renamed("Group"))
      }
      run = GroupRun(group, items, nil, results)
    }
    begin(run, step)
    let tolerance = group.tolerance.among(run.stream?.knownCount)
    return .planned(count: run.allItems?.count, width: group.width, tolerance: tolerance)
  }

  func collect(_ step: Blueprint.StepID) -> RunResult {
    guard let run = engine.state.withLock({ $0.endGroup(step) }) else { return .settled(.succeeded) }
    let source = FlowEvent.Source(run.step.name, step: step)
    let mismatch = run.takeResults().flatMap { engine.write($0, of: step) }
    do {
      if let mismatch { throw mismatch }
      let output = run.step.output?.name
      if run.hidesOutputs, let output { engine.bucket.markSensitive([output]) }
      let isSensitive = run.hidesOutputs || output.map(engine.bucket.isSensitive) ?? false
      let outputs = run.outputs ?? run.step.makeOutputs(0)
      for collected in try run.step.collect(outputs, run.failures, isSensitive) {
        if let error = engine.keeper?.problem(keeping: collected.value, named: collected.name) { throw error }
        engine.bucket.write(collected.value, named: collected.name, isSensitive: isSensitive, by: source)
      }
      let hasSucceededItems = (run.allItems?.count ?? run.pulledCount) > run.failures.count
      if engine.blueprint.has(.declaresKeys), hasSucceededItems { engine.checkOutputs(source) }
      if run.step.keepsOutputs || !run.failures.isEmpty {
        engine.recorder.record(.groupFinished(outputCount: run.outputCount), source: source)
      } else {
        engine.recorder.write { $0.endStep(step) }
      }
      return .settled(.succeeded)
    } catch {
      // The items' outputs are still available from the report.
      begin(run, step)
      return .settled(Settlement(error))
    }
  }

  private func begin(_ run: GroupRun, _ step: Blueprint.StepID) { engine.state.withLock { $0.groups.begin(run, step) } }

  // MARK: Items

  /// Runs a group's items one after the other, for as long as they end on this thread.
  func runItems(_ first: Claim, _ step: Blueprint.StepID) -> Claim? {
    guard let group = group(step) else { return nil }
    let items = engine.state.withLock { $0.groups[step]?.allItems }
    // What all items share is taken out of the loop: lanes that count references to one object slow each other down.
    let run = itemRunner(group, items, step)
    var context = engine.context(first.source(group.itemName, of: step), first.ticket, of: step)
    var next: Claim? = first
    let keeper = engine.keeper
    let mayPass = engine.blueprint.isLimited(step) || engine.probe != nil
    while let claim = next, !claim.isUnderWay, claim.work.kind == .item, claim.work.step == step,
      let index = claim.work.item
    {
      if let keeper, claim.ticket != first.ticket, !engine.mayBegin(claim, keeper) { return nil }
      if mayPass, let passed = pass(claim, step, named: group.itemName) {
        next = passed.next
        continue
      }
      context.ticket = claim.ticket
      context.source.item = index
      context.source.attempt = claim.attempt
      if let items {
        next = run(items[index], context)
      } else {
        // What is pulled from a stream is kept under the lock, and for no longer than its item runs.
        guard let item = engine.state.withLock({ $0.groups[step]?.item(at: index) }) else { return nil }
        next = run(item, context)
      }
    }
    return next
  }

  /// What runs one item, which may have started, and returns the lane's next work.
  private func itemRunner(
    _ group: GroupStep, _ items: FlowGroupItems?, _ step: Blueprint.StepID
  ) -> (_ item: any Sendable, FlowContext) -> Claim? {
    switch group.body {
    case .closure(let body):
      return { item, context in run(context) { try body(item, $0) } }
    case .asyncClosure(let body):
      return { item, context in awaitEnd(.item(context, item, body), context) }
    case .operation(let make):
      let type = group.creator.map(OperationType.of)
      var noted: (input: String, output: String)?
      return { item, context in
        let operation: FlowOperation
        do { operation = try make(item, context.source.item ?? 0) } catch {
          return fail(error, context.ticket, context.source)
        }
        let own = OperationType.of(operation, expecting: type)
        let names = (input: operation.primaryInputName(own), output: operation.primaryOutputName(own))
        // An item and its output are hidden if the group's arrays are, even if those turn out to be sensitive later.
        if noted.map({ $0 == names }) != true {
          if let items { engine.recorder.note(names.input, of: items.name, in: step) }
          if let output = group.output { engine.recorder.note(names.output, of: output.name, in: step) }
          noted = names
        }
        let scope = scope(of: operation, own, names, item, group, step, isSensitive: items?.isSensitive ?? false)
        return run(consume operation, scope, context.ticket, context.source, type: type)
      }
    }
  }

  /// The values of an item's operation: at first, the item.
  private func scope(
    of operation: FlowOperation, _ type: OperationType, _ names: (input: String, output: String), _ item: any Sendable,
    _ group: GroupStep, _ step: Blueprint.StepID, isSensitive: Bool
  ) -> ItemScope {
    var sensitiveNames: Set<String> = isSensitive ? [names.input] : []
    if group.hidesOutputs || engine.bucket.isSensitive(group.output?.name ?? "") { sensitiveNames.insert(names.output) }
    // An item that its operation reads with a sensitive key is shown as `<redacted>` if it fails.
    if type.declaresPorts, operation.readsSensitively(names.input) { engine.withGroup(step) { $0.hidesInputs = true } }
    return ItemScope(inputName: names.input, input: item, sensitiveNames: sensitiveNames)
  }

  // MARK: Streams

  func pullItem(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    guard let stream = engine.state.withLock({ $0.groups[step]?.stream }) else { return nil }
    switch stream.next() {
    case .item(let item): return settlePull(claim.ticket, step, item, lane: .goesOn)
    case .end: return settlePull(claim.ticket, step, nil, lane: .goesOn)
    case .later(let wait):
      let source = source(of: claim, step)
      engine.startTask(claim.ticket, wait) { settlement, item in
        if case .succeeded = settlement {
          settlePull(claim.ticket, step, item, lane: .none)
        } else if engine.isStopping(claim.ticket) {
          // The group has ended with what has stopped it.
          engine.settle(claim.ticket, .settled(.cancelled), lane: .none)
        } else {
          engine.settleEnd(of: claim.ticket, source, settlement, lane: .none)
        }
      }
      return nil
    }
  }

  /// Gives a group the next item of its sequence; `nil` if there are no more.
  @discardableResult @inline(never)
  package func settlePull(
    _ ticket: WorkTicket, _ step: Blueprint.StepID, _ item: (any Sendable)?, lane: LaneUse
  ) -> Claim? {
    engine.settle(ticket, .pulled(isItem: item != nil), lane: lane) { state, _, _, end in
      if let item {
        state.groups[step]?.append(item)
      } else if !end.wasStopped {
        // A sequence also ends when the task that waits for its next element is cancelled: that is no end of its own.
        state.groups[step]?.isReadToEnd = true
      }
    }
  }
}
