/// Decides whether a step's conditions are met, so that it runs.
struct ConditionChecker {
  let engine: RunEngine

  /// Lets the step begin, skips it, or fails it with the error that a condition throws.
  func perform(_ claim: RunClaim, _ step: Blueprint.StepID) -> RunClaim? {
    let source = claim.source(engine.blueprint.steps[step].name, of: step)
    do {
      guard let unmet = try firstUnmet(of: step) else {
        return engine.settle(claim.ticket, .settled(.succeeded), lane: .goesOn)
      }
      return skip(claim, step, source, unmet)
    } catch {
      return engine.settleStep(claim.ticket, .settled(Settlement(error)), source)
    }
  }

  private func firstUnmet(of step: Blueprint.StepID) throws -> StepCondition? {
    try engine.blueprint.steps[step].options.conditions.first { try !$0.isMet(by: engine.bucket) }
  }

  private func skip(
    _ claim: RunClaim, _ step: Blueprint.StepID, _ source: FlowEvent.Source, _ unmet: StepCondition
  ) -> RunClaim? {
    let parts = [unmet.held(in: engine.bucket)].compactMap(\.self)
    let event = RecordedKind.keyed(RedactableTexts(parts) { .skipped(held: $0.joined(separator: " ")) })
    // Others may depend on its operations, so they end before anything else begins.
    engine.blueprint.discardInstances(of: step, engine.bucket)
    return engine.settle(claim.ticket, .skipped, source, lane: .goesOn) { state, _, record, now in
      // If the run stops meanwhile, the step never ran.
      if !state.machine.isStopping(claim.ticket) { record.append(event, source: source, at: now) }
      return nil
    }
  }
}
