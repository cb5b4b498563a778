/// Asks a test what happens to each piece of work of a step, and lets that happen.
struct Interceptor {
  let engine: RunEngine
  let step: Blueprint.StepID
  /// The name that events of the work are about.
  let name: String

  /// What happens to a piece of work; `nil` if it does its work.
  func interception(of claim: RunClaim) -> Interception? {
    guard !claim.wasIntercepted, let probe = engine.probe, let path = engine.paths.path(of: step) else { return nil }
    let stepName = engine.blueprint.steps[step].name
    return probe.interception(
      of: ProbedWork(path: path, name: stepName, item: claim.work.item, attempt: claim.attempt))
  }

  func perform(_ interception: Interception, _ claim: RunClaim) -> RunClaim? {
    let source = claim.source(name, of: step)
    switch interception {
    case .fails(let error): return end(claim, source, Settlement(error), lane: .goesOn)
    case .waits(let wait):
      var rest = claim
      rest.wasIntercepted = true
      guard engine.state.withLock({ [rest] in $0.park(rest, by: .probe) }) else {
        return end(claim, source, .cancelled, lane: .goesOn)
      }
      ClosurePerformer(engine: engine).startTask(claim.ticket) { [engine] in
        try await wait(engine.clock)
        return nil
      } done: { [engine] settlement, _ in
        if settlement.isSuccess { return engine.resume(claim.ticket) }
        if let parked = engine.unpark(claim.ticket) { end(parked.claim, source, settlement, lane: .none) }
      }
      return nil
    }
  }

  @discardableResult
  private func end(_ claim: RunClaim, _ source: FlowEvent.Source, _ settlement: Settlement, lane: LaneUse) -> RunClaim?
  {
    // The start of a closure is recorded when it is claimed.
    let isRecorded = claim.hasStarted && engine.blueprint.claimFacts[step].closureName != nil
    let hasStarted = isRecorded || engine.willStart(claim.ticket, source)
    return engine.complete(claim.ticket, source, hasStarted ? settlement : .cancelled, lane: lane)
  }
}
