/// Performs claimed work on the calling thread, and returns the next work if the lane continues.
package struct StepPerformer {
  let engine: RunEngine
  var lane: TaskLane?

  func perform(_ claim: Claim) -> Claim? {
    // An operation that was parked goes on, unless it was cancelled since; its end adds lanes.
    if claim.isUnderWay {
      if engine.unpark(claim) { start(claim) }
      return nil
    }
    let step = claim.work.step ?? 0
    switch claim.work.kind {
    case .check: return check(claim, step)
    case .step: return runStep(claim, step)
    case .item: return runItem(claim, step)
    case .handOn: engine.handOn(claim, of: step)
    case .recover, .expire: return followUp(claim, step)
    case .undo: return undo(claim, step)
    case .pull: return pullItem(claim, step)
    case .plan: return engine.end(claim.ticket, plan(step), source(of: claim, step), lane: .goesOn)
    case .collect: return engine.end(claim.ticket, collect(step), source(of: claim, step), lane: .goesOn)
    case .choose: return choose(claim, step)
    case .enter: return enter(claim, step)
    case .leave: return leave(claim, step)
    case .finish: engine.finish(claim.ticket)
    }
    return nil
  }

  private func runStep(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    switch engine.blueprint.steps[step].kind {
    case .operation(.instance(let instance)):
      let source = source(of: claim, step)
      guard let operation = instance.take() else { return fail(FlowError.usedTwice(source.name), claim.ticket, source) }
      return run(consume operation, nil, claim.ticket, source, type: nil, isReserved: true)
    case .operation(.factory(let type, let make)):
      engine.noteBegin(claim)
      return run(make(), nil, claim.ticket, source(of: claim, step), type: type)
    case .closure(.sync(let body)):
      let context = engine.context(source(of: claim, step), claim.ticket, of: step)
      return run(context) { context in
        try body(context)
        return nil
      }
    case .closure(.async(let body)):
      let context = engine.context(source(of: claim, step), claim.ticket, of: step)
      return awaitEnd(.step(context, body), context)
    case .group, .cases, .flow, .parallel: return nil
    }
  }

  /// Runs a closure on this thread; it needs no operation, because nothing could cancel it.
  func run(_ context: FlowContext, _ body: (FlowContext) throws -> (any Sendable)?) -> Claim? {
    guard engine.willStart(context.ticket, context.source) else {
      return engine.end(context.ticket, .settled(.cancelled), context.source, lane: .goesOn)
    }
    do {
      engine.workBegins(context.ticket, context.source)
      let output = try engine.calling(context.ticket) { try body(context) }
      return engine.end(context.ticket, .settled(.succeeded), context.source, output: output, lane: .goesOn)
    } catch {
      return engine.end(context.ticket, .settled(Settlement(error)), context.source, lane: .goesOn)
    }
  }

  /// Lets the lane await a closure, or a new one if this lane isn't a task.
  func awaitEnd(_ work: AwaitedWork, _ context: FlowContext) -> Claim? {
    guard engine.willStart(context.ticket, context.source) else {
      return engine.end(context.ticket, .settled(.cancelled), context.source, lane: .goesOn)
    }
    engine.awaitEnd(of: work, context.source, in: lane)
    return nil
  }

  func source(of claim: Claim, _ step: Blueprint.StepID) -> FlowEvent.Source {
    claim.source(engine.blueprint.steps[step].name, of: step)
  }

  private func leave(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    let source = self.source(of: claim, step)
    return engine.end(claim.ticket, .settled(.succeeded), source, lane: .goesOn)
  }

  private func enter(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    let source = self.source(of: claim, step)
    if engine.blueprint.steps[step].isAlways, engine.blueprint.has(.keptResults) {
      engine.writeResultsOfStoppedGroups()
    }
    guard engine.willStart(claim.ticket, source) else {
      return engine.end(claim.ticket, .settled(.cancelled), source, .unbegun, lane: .goesOn)
    }
    if case .flow(_, let data, let sensitiveNames) = engine.blueprint.steps[step].kind {
      let bucket = engine.bucket
      bucket.markSensitive(sensitiveNames)
      for (name, value) in data.sorted(by: { $0.key < $1.key }) where bucket.value(named: name) == nil {
        bucket.write(value, named: name, by: source)
      }
    }
    return engine.end(claim.ticket, .entered, source, lane: .goesOn)
  }
}
