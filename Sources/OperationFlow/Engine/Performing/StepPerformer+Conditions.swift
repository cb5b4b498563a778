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
}
