// What happens to pieces of work before they begin.
extension StepPerformer {
  /// Passes over a piece of work that waits for a permit, or that a test ends or holds back; `nil` if it begins.
  ///
  /// `name` is that of its events.
  func pass(_ claim: RunClaim, _ step: Blueprint.StepID, named name: String) -> Passed? {
    guard engine.mayPerform(claim, step) else { return Passed(next: engine.claimNext()) }
    guard !claim.wasIntercepted, let probe = engine.probe, let path = engine.paths.path(of: step) else { return nil }
    let work = ProbedWork(
      path: path, name: engine.blueprint.steps[step].name, item: claim.work.item, attempt: claim.attempt)
    guard let interception = probe.interception(of: work) else { return nil }
    let source = claim.source(name, of: step)
    switch interception {
    case .fails(let error): return Passed(next: end(claim, source, Settlement(error), lane: .goesOn))
    case .waits(let wait):
      var rest = claim
      rest.wasIntercepted = true
      guard engine.state.withLock({ [rest] in $0.park(rest, for: nil) }) else {
        return Passed(next: end(claim, source, .cancelled, lane: .goesOn))
      }
      engine.startTask(claim.ticket) { [engine] in
        try await wait(engine.clock)
        return nil
      } done: { [engine] settlement, _ in
        if settlement.isSuccess { return engine.resume(claim.ticket) }
        if let parked = engine.unpark(claim.ticket) { end(parked, source, settlement, lane: .none) }
      }
      return Passed(next: nil)
    }
  }

  struct Passed {
    let next: RunClaim?
  }

  @discardableResult
  private func end(_ claim: RunClaim, _ source: FlowEvent.Source, _ settlement: Settlement, lane: LaneUse) -> RunClaim?
  {
    let hasStarted = claim.hasStarted || engine.willStart(claim.ticket, source)
    return engine.complete(claim.ticket, source, hasStarted ? settlement : .cancelled, lane: lane)
  }
}
