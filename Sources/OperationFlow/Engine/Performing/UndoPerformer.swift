/// Undoes what a step or an item has done, in a run that does not succeed.
struct UndoPerformer {
  let engine: RunEngine
  var lane: TaskLane?

  /// Starts an attempt to undo it.
  func perform(_ claim: RunClaim, _ step: Blueprint.StepID) -> RunClaim? {
    if engine.blueprint.keepsResults { engine.writeResultsOfStoppedGroups() }
    let value = engine.state.withLock { state in
      state.rareOrNew.begunFollowUps[claim.ticket] = claim.work
      return state.rare?.undoLedger[claim.work]
    }
    let expected = claim.source(engine.blueprint.name(of: claim.work), of: step)
    let source = value.map { expected.named($0.name) } ?? expected
    guard let undo = engine.blueprint.steps[step].options.special?.undo else {
      return engine.complete(claim.ticket, source, .succeeded, lane: .goesOn)
    }
    // It may use any key: the step's own declaration is about its work.
    let context = FlowContext(host: engine, source: source, ticket: claim.ticket, declared: nil)
    switch undo.work {
    case .closure(let body):
      return ClosurePerformer(engine: engine, lane: lane)
        .awaitEnd(.step(context, body), context, hasStarted: false)
    case .operation(let make):
      return OperationPerformer(engine: engine, lane: lane).run(claim.ticket, source, type: nil, keepsName: true) {
        try make()
      } scope: { operation, type in
        guard claim.work.item != nil, let item = value?.item else { return nil }
        let name = operation.primaryInputName(type)
        let (hidesItem, hidesOutput) = hidden(step)
        var scope = ItemScope(inputName: name, input: item, sensitiveNames: hidesItem ? [name] : [])
        if let output = value?.output {
          scope.give(output, named: operation.primaryOutputName(type), isSensitive: hidesOutput)
        }
        return scope
      }
    }
  }

  /// Whether a group's items, and their outputs, are hidden.
  private func hidden(_ step: Blueprint.StepID) -> (item: Bool, output: Bool) {
    guard case .group(let group) = engine.blueprint.steps[step].kind else { return (false, false) }
    return (
      group.ports.input.map { engine.bucket.isSensitive($0.name) } ?? false,
      group.hidesOutputs || (group.ports.output.map { engine.bucket.isSensitive($0.name) } ?? false)
    )
  }
}

extension RunEngine {
  /// Completes an attempt to undo something.
  @inline(never)
  func completeUndo(
    _ ticket: WorkTicket, _ source: FlowEvent.Source, _ settlement: Settlement, _ lane: LaneUse,
    parts: (any KeptParts)? = nil, advice known: RetryAdvice? = nil
  ) -> RunClaim? {
    let timeout = state.withLock { $0.machine.noteEnd(of: ticket) }
    let settlement = located(counted(settlement, timeout), source)
    var result = RunResult.settled(settlement)
    if case .failed(let error) = settlement, let undo = blueprint.steps[Int(source.step)].options.special?.undo {
      result = .failed(error, known ?? advice(after: error, undo.attempts, undo.retry, source))
    }
    let finish = settlement.recorded(FlowEvent.Kind.undoFinished)
    // A value that is freed may use the run, so it isn't freed under the lock.
    var freed: UndoLedger.Value?
    defer { withExtendedLifetime(freed) {} }
    let errorText = settlement.errorText(in: finish)
    return settle(ticket, result, source, lane: lane, parts: parts, errorText: errorText) { state, work, record, now in
      let follow = state.machine.verdict(ticket, settlement, result.attemptEnd?.advice ?? .byPlan)
      record.append(finish, source: source.failing(follow), at: now)
      guard follow == .own else { return nil }
      freed = state.rare?.undoLedger.remove(work)
      state.facts.note(
        ReportedWork(
          .undo, source.description, paths.path(of: Int(source.step)), item: source.item, attempt: source.attempt,
          settlement.error, text: errorText))
      return nil
    }
  }
}
