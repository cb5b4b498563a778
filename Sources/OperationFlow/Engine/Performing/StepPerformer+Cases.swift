extension StepPerformer {
  /// Takes the branch that matches; if there is none, ends the run early, or the flow or branch that holds the cases.
  func choose(_ claim: Claim, _ step: Blueprint.StepID) -> Claim? {
    guard case .cases(let cases) = engine.blueprint.steps[step].kind else { return nil }
    // Only the keys of a durable run may hold a value that isn't known any more.
    if engine.keeper != nil {
      do throws(FlowError) {
        for case let key? in cases.branches.map(\.condition.key) { try engine.bucket.refuseUnavailable(key) }
      } catch {
        return engine.end(claim.ticket, .settled(.failed(error)), source(of: claim, step), lane: .goesOn)
      }
    }
    // The first branch whose key equals its value, or the one for no match.
    let matching = cases.branches.firstIndex { branch in
      branch.condition.key.flatMap(engine.bucket.value(named:)).map(branch.condition.matches) ?? false
    }
    let branch = matching ?? cases.branches.firstIndex { $0.condition == .otherwise }
    return take(branch, of: cases, claim.ticket, step, lane: .goesOn)
  }

  /// Takes a branch by its place among those of its step; `nil` if none matches.
  package func take(
    _ index: Int?, of cases: Blueprint.Cases, _ ticket: WorkTicket, _ step: Blueprint.StepID, lane: LaneUse
  ) -> Claim? {
    let branch = index.map { cases.branches[$0] }
    let held = branch == nil ? describeKeys(of: cases.branches) : []
    let event =
      branch.map { describe($0.condition) }
      ?? .keyed(RedactableTexts(held) { .noCaseMatched(held: $0.joined(separator: " ")) })
    engine.recorder.record(event, source: FlowEvent.Source("Cases", step: step))
    // Others may depend on what is in the branches that are not taken, so it ends before anything else begins.
    engine.blueprint.discardInstances(passedOverFor: branch?.block, in: step, engine.table, engine.bucket)
    let source = FlowEvent.Source(engine.blueprint.steps[step].name, step: step)
    return engine.end(ticket, .chosen(branch?.block), source, .branch(index, held: held), lane: lane)
  }

  /// The condition that was met, without its value if the key is sensitive, now or later.
  private func describe(_ condition: FlowCase) -> RecordedKind {
    guard let key = condition.key else { return .plain(.caseChosen(condition.text)) }
    let name = ValueText.name(key)
    let value = ValueText.cutCounting(condition.valueText, limit: ValueText.limit)
    let hidden = "\(name)=\(ValueText.redacted)"
    if condition.isSensitive || engine.bucket.isSensitive(key) { return .plain(.caseChosen(hidden)) }
    let part = RedactableTexts.Part(name: name, text: .made("\(name)=\(value)"), hidden: hidden)
    return .keyed(RedactableTexts([part]) { .caseChosen($0[0]) })
  }

  /// What the keys that the branches look at hold, each key once.
  private func describeKeys(of branches: [Blueprint.Branch]) -> [RedactableTexts.Part] {
    var keys: [String] = []
    for case let key? in branches.map(\.condition.key) where !keys.contains(key) { keys.append(key) }
    return keys.map { key in
      let value = branches.first { $0.condition.key == key }?.condition.values.first
      return engine.bucket.describe(key, as: value?.type ?? Any.self) { value?.accepts($0) ?? true }
    }
  }
}
