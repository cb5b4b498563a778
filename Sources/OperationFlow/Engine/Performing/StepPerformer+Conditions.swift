extension StepPerformer {
  /// Looks at a step's conditions: lets it begin, skips it, or fails it with the error that a condition throws.
  func check(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    let source = source(of: claim, step)
    let unmet: StepCondition?
    do {
      unmet = try engine.blueprint.steps[step].options?.conditions.first { try !$0.isMet(by: engine.bucket) }
    } catch {
      return engine.end(claim.ticket, .settled(Settlement(error)), source, lane: .goesOn)
    }
    guard let unmet else { return engine.end(claim.ticket, .settled(.succeeded), lane: .goesOn) }
    let parts = [unmet.held(in: engine.bucket)].compactMap(\.self)
    let event = RecordedKind.keyed(RedactableTexts(parts) { .skipped(held: $0.joined(separator: " ")) })
    // Others may depend on its operations, so they end before anything else begins.
    engine.blueprint.discardInstances(of: step, engine.bucket)
    return engine.end(claim.ticket, .skipped, source, .skipped(event), lane: .goesOn)
  }
}
