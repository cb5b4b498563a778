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
      let stream = make()
      engine.recorder.record(stream.knownCount.map { .groupCreated(count: $0) } ?? .groupStarted, source: source)
      run = GroupRun(group, nil, stream, results)
    case .items(let find):
      let items: FlowGroupItems
      do { items = try find(engine.bucket) } catch { return .settled(Settlement(error)) }
      // No key marks these items as sensitive, so their values are hidden one by one.
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
    engine.begin(run, step)
    let expected = run.stream?.knownCount
    return .planned(
      count: run.allItems?.count, expected: expected, width: group.width, tolerance: group.tolerance.among(expected))
  }

  func collect(_ step: Blueprint.StepID) -> RunResult {
    guard let run = engine.endGroup(step) else { return .settled(.succeeded) }
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
      // The group is added again, so that the report contains its items' outputs.
      engine.begin(run, step)
      return .settled(Settlement(error))
    }
  }

  // MARK: Items

  func runItem(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    guard let index = claim.work.item, let run = claim.group else { return nil }
    // An item from a stream is stored under the lock, and only while it runs.
    guard let item = run.allItems?[index] ?? engine.state.withLock({ _ in run.item(at: index) }) else { return nil }
    let group = run.step
    let context = engine.context(claim.source(group.itemName, of: step), claim.ticket, of: step)
    switch group.body {
    case .closure(let body): return self.run(claim, context) { try body(item, $0) }
    case .asyncClosure(let body): return awaitEnd(.item(claim, context, item, body), context)
    case .operation(let make):
      engine.recordBegin(claim)
      return runOperation(of: item, run, claim, context.source, make)
    }
  }

  private func runOperation(
    of item: any Sendable, _ run: GroupRun, _ claim: Claim, _ source: FlowEvent.Source,
    _ make: @Sendable (any Sendable, Int) throws -> FlowOperation
  ) -> Claim? {
    let group = run.step
    let step = Int(source.step)
    let operation: FlowOperation
    do { operation = try make(item, source.item ?? 0) } catch { return fail(error, claim, source) }
    let expected = group.creator.map(OperationType.of)
    let type = OperationType.of(operation, expecting: expected)
    let names = ItemNames(input: operation.primaryInputName(type), output: operation.primaryOutputName(type))
    // An item and its output are hidden if the group's arrays are, even if those become sensitive later.
    if engine.state.withLock({ _ in exchange(&run.itemNames, with: names) }) != names {
      if let items = run.allItems { engine.recorder.link(names.input, to: items.name, in: step) }
      if let output = group.output { engine.recorder.link(names.output, to: output.name, in: step) }
    }
    let isSensitive = run.allItems?.isSensitive ?? false
    let scope = scope(of: operation, type, names, item, group, step, isSensitive: isSensitive)
    return self.run(consume operation, scope, claim, source, type: expected)
  }

  /// Creates the values of an item's operation, at first only the item.
  private func scope(
    of operation: FlowOperation, _ type: OperationType, _ names: ItemNames, _ item: any Sendable, _ group: GroupStep,
    _ step: Blueprint.StepID, isSensitive: Bool
  ) -> ItemScope {
    var sensitiveNames: Set<String> = isSensitive ? [names.input] : []
    if group.hidesOutputs || engine.bucket.isSensitive(group.output?.name ?? "") { sensitiveNames.insert(names.output) }
    // An item that its operation reads with a sensitive key is shown as `<redacted>` if it fails.
    if type.declaresPorts, operation.readsSensitively(names.input) {
      engine.withGroups { $0[step]?.hidesInputs = true }
    }
    return ItemScope(inputName: names.input, input: item, sensitiveNames: sensitiveNames)
  }

  // MARK: Streams

  func pullItem(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    guard let stream = engine.state.withLock({ $0.groups[step]?.stream }) else { return nil }
    switch stream.next() {
    case .item(let item): return settlePull(claim, step, item, lane: .continues)
    case .end: return settlePull(claim, step, nil, lane: .continues)
    case .later(let wait):
      let source = source(of: claim, step)
      engine.startTask(claim.ticket, wait) { settlement, item in
        if case .succeeded = settlement {
          settlePull(claim, step, item, lane: .none)
        } else if engine.isStopping(claim.ticket) {
          // The group has already ended, for the reason that stopped it.
          engine.end(claim, .settled(.cancelled), source, .unbegun, lane: .none)
        } else {
          engine.end(claim, .settled(settlement), source, lane: .none)
        }
      }
      return nil
    }
  }

  /// Adds the next item of a sequence to its group; `nil` if there are no more.
  @discardableResult
  package func settlePull(
    _ claim: Claim, _ step: Blueprint.StepID, _ item: (any Sendable)?, lane: LaneUse
  ) -> Claim? {
    let source = FlowEvent.Source(engine.blueprint.steps[step].name, step: step)
    return engine.end(claim, .pulled(isItem: item != nil), source, output: item, lane: lane)
  }
}
