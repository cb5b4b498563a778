// What happens to pieces of work before they begin.
extension StepPerformer {
  /// Looks at a step's conditions: lets it begin, skips it, or fails it with the error that a condition throws.
  func check(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    let source = source(of: claim, step)
    let unmet: StepCondition?
    do {
      unmet = try engine.blueprint.steps[step].options?.conditions.first { try !$0.isMet(by: engine.bucket) }
    } catch {
      return engine.settleStep(claim.ticket, .settled(Settlement(error)), source)
    }
    guard let unmet else { return engine.settle(claim.ticket, .settled(.succeeded), lane: .goesOn) }
    let parts = [unmet.held(in: engine.bucket)].compactMap(\.self)
    let event = RecordedKind.keyed(RedactableTexts(parts) { .skipped(held: $0.joined(separator: " ")) })
    // Others may depend on its operations, so they end before anything else begins.
    engine.blueprint.discardInstances(of: step, engine.bucket)
    return engine.settle(claim.ticket, .skipped, source, lane: .goesOn) { _, _, record, end in
      // If the run stops meanwhile, the step never ran.
      if !end.wasStopped { record.append(event, source: source, at: end.moment) }
    }
  }

  /// Passes over a piece of work that waits for a permit, or that a test ends or holds back; `nil` if it begins.
  ///
  /// `name` is that of its events.
  func pass(_ claim: Claim, _ step: Blueprint.StepID, named name: String) -> Passed? {
    guard engine.mayPerform(claim, step) else { return Passed(next: engine.claimNext()) }
    guard !claim.wasIntercepted, let probe = engine.probe, let path = engine.paths.path(of: step) else { return nil }
    let work = ProbedWork(
      path: path, name: engine.blueprint.steps[step].name, item: claim.work.item, attempt: claim.attempt)
    guard let interception = probe.interception(of: work) else { return nil }
    let source = claim.source(name, of: step)
    switch interception {
    case .fails(let error): return Passed(next: end(claim, source, Settlement(error), lane: .goesOn))
    case .waits(let wait):
      claim.wasIntercepted = true
      guard engine.state.withLock({ $0.park(claim, for: nil) }) else {
        return Passed(next: end(claim, source, .cancelled, lane: .goesOn))
      }
      engine.startTask(claim.ticket) { [engine] in
        try await wait(engine.clock)
        return nil
      } done: { [engine] settlement, _ in
        if settlement.isSuccess { return engine.resume(claim.ticket) }
        if engine.unpark(claim) { end(claim, source, settlement, lane: .none) }
      }
      return Passed(next: nil)
    }
  }

  /// Work was passed over, and this is the lane's next, if there is any.
  struct Passed {
    let next: Claim?
  }

  @discardableResult
  private func end(_ claim: Claim, _ source: FlowEvent.Source, _ settlement: Settlement, lane: LaneUse) -> Claim? {
    let hasStarted = engine.willStart(claim.ticket, source)
    return engine.settleEnd(of: claim.ticket, source, hasStarted ? settlement : .cancelled, lane: lane)
  }
}
