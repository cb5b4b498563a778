// What a test does to pieces of work before they begin.
extension StepPerformer {
  /// Lets happen what a test wants to happen to a piece of work first; `nil` if it does its work.
  ///
  /// `name` is that of its events.
  func intercept(_ claim: RunClaim, _ step: Blueprint.StepID, named name: String) -> Intercepted? {
    guard !claim.wasIntercepted, let probe = engine.probe, let path = engine.paths.path(of: step) else { return nil }
    let work = ProbedWork(
      path: path, name: engine.blueprint.steps[step].name, item: claim.work.item, attempt: claim.attempt)
    guard let interception = probe.interception(of: work) else { return nil }
    let source = claim.source(name, of: step)
    switch interception {
    case .fails(let error): return Intercepted(next: end(claim, source, Settlement(error), lane: .goesOn))
    case .waits(let wait):
      var rest = claim
      rest.wasIntercepted = true
      guard engine.state.withLock({ [rest] in $0.park(rest, by: .probe) }) else {
        return Intercepted(next: end(claim, source, .cancelled, lane: .goesOn))
      }
      engine.startTask(claim.ticket) { [engine] in
        try await wait(engine.clock)
        return nil
      } done: { [engine] settlement, _ in
        if settlement.isSuccess { return engine.resume(claim.ticket) }
        if let parked = engine.unpark(claim.ticket) { end(parked.claim, source, settlement, lane: .none) }
      }
      return Intercepted(next: nil)
    }
  }

  /// A piece of work that a test has ended or holds back, with the lane's next work.
  struct Intercepted {
    let next: RunClaim?
  }

  @discardableResult
  private func end(_ claim: RunClaim, _ source: FlowEvent.Source, _ settlement: Settlement, lane: LaneUse) -> RunClaim?
  {
    // The start of a closure is recorded when it is claimed.
    let isRecorded = claim.hasStarted && engine.blueprint.claimFacts[Int(source.step)].closureName != nil
    let hasStarted = isRecorded || engine.willStart(claim.ticket, source)
    return engine.complete(claim.ticket, source, hasStarted ? settlement : .cancelled, lane: lane)
  }
}
