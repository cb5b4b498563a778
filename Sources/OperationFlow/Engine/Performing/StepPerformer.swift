/// Performs claimed work on the calling thread, and returns the next work if the lane continues.
package struct StepPerformer {
  let engine: RunEngine
  var lane: TaskLane?

  func perform(_ claim: Claim) -> Claim? {
    // A parked operation continues, unless it was cancelled since; its end adds lanes.
    if claim.isUnderWay {
      if engine.unpark(claim) { start(claim) }
      return nil
    }
    let step = claim.work.step ?? 0
    switch claim.work.kind {
    case .check: return check(claim, step)
    case .step: return runStep(claim, step)
    case .item: return runItem(claim, step)
    case .deliver: engine.deliver(claim, of: step)
    case .recover, .expire: return followUp(claim, step)
    case .undo: return undo(claim, step)
    case .pull: return pullItem(claim, step)
    case .plan: return engine.end(claim, plan(step), source(of: claim, step), lane: .continues)
    case .collect: return engine.end(claim, collect(step), source(of: claim, step), lane: .continues)
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
      guard let operation = instance.take() else { return fail(FlowError.usedTwice(source.name), claim, source) }
      return run(consume operation, nil, claim, source, type: nil, isReserved: true)
    case .operation(.factory(let type, let make)):
      engine.recordBegin(claim)
      return run(make(), nil, claim, source(of: claim, step), type: type)
    case .closure(.sync(let body)):
      let context = engine.context(source(of: claim, step), claim.ticket, of: step)
      return run(claim, context) { context in
        try body(context)
        return nil
      }
    case .closure(.async(let body)):
      let context = engine.context(source(of: claim, step), claim.ticket, of: step)
      return awaitEnd(.step(claim, context, body), context)
    case .group, .cases, .flow, .parallel: return nil
    }
  }

  /// Runs a closure on this thread; it needs no operation, because nothing could cancel it.
  func run(_ claim: Claim, _ context: FlowContext, _ body: (FlowContext) throws -> (any Sendable)?) -> Claim? {
    guard engine.willStart(claim.ticket, context.source) else {
      return engine.end(claim, .settled(.cancelled), context.source, lane: .continues)
    }
    do {
      engine.workBegins(context.ticket, context.source)
      let output = try engine.calling(context.ticket) { try body(context) }
      return engine.end(claim, .settled(.succeeded), context.source, output: output, lane: .continues)
    } catch {
      return engine.end(claim, .settled(Settlement(error)), context.source, lane: .continues)
    }
  }

  /// Starts a closure, which this lane awaits if it is a task; otherwise a new lane does.
  func awaitEnd(_ work: AwaitedWork, _ context: FlowContext) -> Claim? {
    let lane = awaitingLane
    let ticket = work.claim.ticket
    guard engine.willStart(ticket, context.source, cancelling: lane.map { .lane($0, ticket) }) else {
      return engine.end(work.claim, .settled(.cancelled), context.source, lane: .continues)
    }
    engine.awaitEnd(of: work, context.source, in: lane)
    return nil
  }

  /// Awaits work that has started in this lane if it is a task; otherwise in a new lane.
  func awaitEnd(of work: AwaitedWork, _ source: FlowEvent.Source) {
    let lane = awaitingLane
    lane?.track(work)
    engine.awaitEnd(of: work, source, in: lane)
  }

  /// The lane, unless a user's synchronous code has cancelled its task: work in it would appear to be cancelled.
  private var awaitingLane: TaskLane? { Task.isCancelled ? nil : lane }

  func source(of claim: Claim, _ step: Blueprint.StepID) -> FlowEvent.Source {
    claim.source(engine.blueprint.steps[step].name, of: step)
  }

  private func leave(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    let source = self.source(of: claim, step)
    return engine.end(claim, .settled(.succeeded), source, lane: .continues)
  }

  private func enter(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    let source = self.source(of: claim, step)
    if engine.blueprint.steps[step].isAlways, engine.blueprint.has(.keptResults) {
      engine.writeResultsOfStoppedGroups()
    }
    guard engine.willStart(claim.ticket, source) else {
      return engine.end(claim, .settled(.cancelled), source, .unbegun, lane: .continues)
    }
    if case .flow(_, let data, let sensitiveNames) = engine.blueprint.steps[step].kind {
      let bucket = engine.bucket
      bucket.markSensitive(sensitiveNames)
      for (name, value) in data.sorted(by: { $0.key < $1.key }) where bucket.value(named: name) == nil {
        bucket.write(value, named: name, by: source)
      }
    }
    return engine.end(claim, .entered, source, lane: .continues)
  }
}
