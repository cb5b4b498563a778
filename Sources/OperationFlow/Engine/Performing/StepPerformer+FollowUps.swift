// Work that follows steps and items: recoveries from failures, and undos in a run that doesn't succeed.
extension StepPerformer {
  func followUp(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    let (failure, failed) = engine.state.withLock { state in
      let failure = state.machine.failure(of: claim.ticket)
      claim.failure = failure
      return (failure, state.remains[claim.work.attemptedWork])
    }
    // The event's name may be the operation's own.
    let source = claim.source(failed?.name ?? engine.blueprint.name(of: claim.work), of: step)
    guard let error = failure else { return engine.end(claim, .settled(.cancelled), source, lane: .continues) }
    guard claim.work.kind == .recover, let recover = engine.blueprint.steps[step].options?.recover else {
      return engine.end(claim, .settled(.failed(error)), source, lane: .continues)
    }
    let context = engine.context(source, claim.ticket, of: step)
    // The start of a recovery is no event.
    awaitEnd(of: .step(claim, context) { try await recover(error, $0) }, source)
    return nil
  }

  func undo(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    if engine.blueprint.has(.keptResults) { engine.writeResultsOfStoppedGroups() }
    let value = engine.state.withLock { $0.remains[claim.work] }
    let source = claim.source(value?.name ?? engine.blueprint.name(of: claim.work), of: step)
    guard let undo = engine.blueprint.steps[step].options?.undo else {
      return engine.end(claim, .settled(.succeeded), source, lane: .continues)
    }
    // An undo may use any key, because the step's declared keys are those of its work.
    let context = FlowContext(host: engine, source: source, ticket: claim.ticket, declared: nil)
    switch undo.work {
    case .closure(let body): return awaitEnd(.step(claim, context, body), context)
    case .operation(let make):
      engine.recordBegin(claim)
      let operation: FlowOperation
      do { operation = try make() } catch { return fail(error, claim, source) }
      let values = claim.work.item == nil ? nil : value.flatMap { scope(of: operation, $0, step) }
      return run(consume operation, values, claim, source, type: nil, keepsName: true)
    }
  }

  private func scope(of operation: FlowOperation, _ value: WorkRemains, _ step: Blueprint.StepID) -> ItemScope? {
    guard let item = value.item, let group = group(step) else { return nil }
    let type = OperationType.of(operation, expecting: nil)
    let name = operation.primaryInputName(type)
    let hidesItem = group.input.map { engine.bucket.isSensitive($0.name) } ?? false
    let hidesOutput = group.hidesOutputs || (group.output.map { engine.bucket.isSensitive($0.name) } ?? false)
    let scope = ItemScope(inputName: name, input: item, sensitiveNames: hidesItem ? [name] : [])
    if let output = value.output {
      let entry = RecordedValue(value: output, text: nil)
      _ = scope.write(entry, named: operation.primaryOutputName(type), isSensitive: hidesOutput)
    }
    return scope
  }
}
