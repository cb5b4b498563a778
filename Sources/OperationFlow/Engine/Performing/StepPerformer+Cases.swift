extension StepPerformer {
  /// Chooses the first branch that matches; if there is none, ends the run, flow or parallel branch around the cases
  /// early.
  func choose(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    guard case .cases(let cases) = engine.blueprint.steps[step].kind else { return nil }
    // Only a durable run can have keys whose values are no longer available.
    if engine.keeper != nil {
      do throws(FlowError) {
        for case let key? in cases.branches.map(\.condition.key) { try engine.bucket.refuseUnavailable(key) }
      } catch {
        return engine.end(claim, .settled(.failed(error)), source(of: claim, step), lane: .continues)
      }
    }
    // The first branch whose key equals its value; otherwise the branch for no match.
    let matching = cases.branches.firstIndex { branch in
      branch.condition.key.flatMap(engine.bucket.value(named:)).map(branch.condition.matches) ?? false
    }
    let branch = matching ?? cases.branches.firstIndex { $0.condition == .otherwise }
    return enterBranch(branch, of: cases, claim, step, lane: .continues)
  }

  /// Enters the branch with this index among those of its step; `nil` if none matches.
  package func enterBranch(
    _ index: Int?, of cases: Blueprint.Cases, _ claim: Claim, _ step: Blueprint.StepID, lane: LaneUse
  ) -> Claim? {
    let branch = index.map { cases.branches[$0] }
    let held = branch == nil ? describeKeys(of: cases.branches) : []
    let event =
      branch.map { describe($0.condition) }
      ?? .keyed(RedactableTexts(held) { .noCaseMatched(held: $0.joined(separator: " ")) })
    engine.recorder.record(event, source: FlowEvent.Source("Cases", step: step))
    // Other operations may depend on those of the branches that were not chosen, so these are ended before anything
    // starts.
    engine.blueprint.discardInstances(passedOverFor: branch?.block, in: step, engine.table, engine.bucket)
    let source = FlowEvent.Source(engine.blueprint.steps[step].name, step: step)
    return engine.end(claim, .chosen(branch?.block), source, .branch(index, held: held), lane: lane)
  }

  /// Returns the event of the chosen branch, without its value if the key is sensitive, now or later.
  private func describe(_ condition: FlowCase) -> RecordedKind {
    guard let key = condition.key else { return .plain(.caseChosen(condition.text)) }
    let name = ValueText.name(key)
    let value = ValueText.cutCounting(condition.valueText, limit: ValueText.limit)
    let hidden = "\(name)=\(ValueText.redacted)"
    if condition.isSensitive || engine.bucket.isSensitive(key) { return .plain(.caseChosen(hidden)) }
    let part = RedactableTexts.Part(name: name, text: .made("\(name)=\(value)"), hidden: hidden)
    return .keyed(RedactableTexts([part]) { .caseChosen($0[0]) })
  }

  /// Returns the texts of the values of the branches' keys, each key once.
  private func describeKeys(of branches: [Blueprint.Branch]) -> [RedactableTexts.Part] {
    var keys: [String] = []
    for case let key? in branches.map(\.condition.key) where !keys.contains(key) { keys.append(key) }
    return keys.map { key in
      let value = branches.first { $0.condition.key == key }?.condition.values.first
      return engine.bucket.describe(key, as: value?.type ?? Any.self) { value?.accepts($0) ?? true }
    }
  }
}

extension StepPerformer {
  /// Checks a step's conditions: lets the step begin, skips it, or fails it with the error that a condition throws.
  func check(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    let source = source(of: claim, step)
    let unmet: StepCondition?
    do {
      unmet = try engine.blueprint.steps[step].options?.conditions.first { try !$0.isMet(by: engine.bucket) }
    } catch {
      return engine.end(claim, .settled(Settlement(error)), source, lane: .continues)
    }
    guard let unmet else { return engine.end(claim, .settled(.succeeded), lane: .continues) }
    let parts = [unmet.held(in: engine.bucket)].compactMap(\.self)
    let event = RecordedKind.keyed(RedactableTexts(parts) { .skipped(held: $0.joined(separator: " ")) })
    // Other operations may depend on those of the step, so these are ended before anything starts.
    engine.blueprint.discardInstances(of: step, engine.bucket)
    return engine.end(claim, .skipped, source, .skipped(event), lane: .continues)
  }
}
