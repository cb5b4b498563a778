struct CaseChoice {
  /// The place of the branch among those of its step; `nil` if none matches.
  var branch: Int?
  var block: Blueprint.BlockID?
  /// What each key held if none matches.
  var held: [RedactableTexts.Part] = []
}

extension StepPerformer {
  /// Takes the branch that matches; if there is none, ends the run early, or the flow or branch that holds the cases.
  func choose(_ claim: RunClaim, _ step: Blueprint.StepID) -> RunClaim? {
    guard case .cases(let cases) = engine.blueprint.steps[step].kind else { return nil }
    // Only the keys of a durable run may hold a value that isn't known any more.
    if engine.keeper != nil {
      do throws(FlowError) {
        for case let key? in cases.branches.map(\.condition.key) { try engine.bucket.refuseUnavailable(key) }
      } catch {
        return engine.settleStep(claim.ticket, .settled(.failed(error)), source(of: claim, step))
      }
    }
    return take(choice(of: cases, step), claim.ticket, step, lane: .goesOn)
  }

  func take(_ choice: CaseChoice, _ ticket: WorkTicket, _ step: Blueprint.StepID, lane: LaneUse) -> RunClaim? {
    // Others may depend on what is in the branches that are not taken, so it ends before anything else begins.
    engine.blueprint.discardInstances(passedOverFor: choice.block, in: step, engine.table, engine.bucket)
    return engine.settle(ticket, .chosen(choice.block), lane: lane) { state, _, _, _ in
      state.note(choice, of: step, ticket)
    }
  }

  /// The first branch whose key equals its value, or the one for no match.
  private func choice(of cases: Blueprint.Cases, _ step: Blueprint.StepID) -> CaseChoice {
    let source = FlowEvent.Source("Cases", step: step)
    let matching = cases.branches.firstIndex { branch in
      branch.condition.key.flatMap(engine.bucket.value(named:)).map(branch.condition.matches) ?? false
    }
    guard let index = matching ?? cases.branches.firstIndex(where: { $0.condition == .otherwise }) else {
      let held = describeKeys(of: cases.branches)
      engine.recorder.record(
        .keyed(RedactableTexts(held) { .noCaseMatched(held: $0.joined(separator: " ")) }), source: source)
      return CaseChoice(held: held)
    }
    let branch = cases.branches[index]
    engine.recorder.record(describe(branch.condition), source: source)
    return CaseChoice(branch: index, block: branch.block)
  }

  /// The condition that was met, without its value if the key is sensitive, now or later.
  private func describe(_ condition: FlowCase) -> RecordedKind {
    guard let key = condition.key else { return .plain(.caseChosen(condition.text)) }
    let (name, value) = (ValueText.name(key), ValueText.cutCounting(condition.valueText, limit: ValueText.limit))
    let hidden = "\(name)=\(ValueText.redacted)"
    if condition.isSensitive || engine.bucket.isSensitive(key) { return .plain(.caseChosen(hidden)) }
    let part = RedactableTexts.Part(name: name, text: .made("\(name)=\(value)"), hidden: hidden)
    return .keyed(RedactableTexts([part]) { .caseChosen($0[0]) })
  }

  /// What the keys that the branches look at hold, each key once.
  func describeKeys(of branches: [Blueprint.Branch]) -> [RedactableTexts.Part] {
    var keys: [String] = []
    for case let key? in branches.map(\.condition.key) where !keys.contains(key) { keys.append(key) }
    return keys.map { key in
      let value = branches.first { $0.condition.key == key }?.condition.values.first
      return engine.bucket.describe(key, as: value?.type ?? Any.self) { value?.accepts($0) ?? true }
    }
  }
}
