/// Looks which branch of a cases step fits what the data bucket holds.
struct CaseChooser {
  let engine: RunEngine

  /// What was chosen.
  struct Choice {
    /// The place of the branch among those of its step; `nil` if none fits.
    var branch: Int?
    var block: Blueprint.BlockID?
    /// What each key held if none fits.
    var held: [(key: String, text: String)] = []
  }

  /// Takes the branch that fits; if there is none, the run ends early, or what holds the cases does.
  func perform(_ claim: RunClaim, _ step: Blueprint.StepID) -> RunClaim? {
    let choice = choose(step)
    return engine.settle(claim.ticket, .chosen(choice.block), lane: .goesOn) { state, _, _, _ in
      state.note(choice, of: step, claim.ticket)
      return nil
    }
  }

  /// The first branch whose key holds its string, or else the one for no match.
  private func choose(_ step: Blueprint.StepID) -> Choice {
    guard case .cases(let cases) = engine.blueprint.steps[step].kind else { return Choice() }
    let bucket = engine.bucket
    let source = FlowEvent.Source("Cases", step: step)
    let matching = cases.branches.firstIndex { branch in
      guard let key = branch.condition.key else { return false }
      return bucket.value(named: key) as? String == branch.condition.value
    }
    guard let index = matching ?? cases.branches.firstIndex(where: { $0.condition == .otherwise }) else {
      let held = describeKeys(of: cases.branches)
      engine.recorder.record(.noCaseMatched(held: held.map(\.text).joined(separator: " ")), source: source)
      return Choice(held: held)
    }
    let branch = cases.branches[index]
    let key = branch.condition.key
    let isSensitive = key.map(bucket.isSensitive) ?? false
    let text = isSensitive ? "\(key ?? "")=\(ValueText.redacted)" : branch.condition.text
    engine.recorder.record(.caseChosen(text), source: source)
    return Choice(branch: index, block: branch.block)
  }

  /// What the keys hold that the branches look at, each once.
  private func describeKeys(of branches: [Blueprint.Branch]) -> [(key: String, text: String)] {
    let bucket = engine.bucket
    var keys: [String] = []
    for case let key? in branches.map(\.condition.key) where !keys.contains(key) { keys.append(key) }
    return keys.map { key in
      guard let value = bucket.value(named: key) else { return (key, "<\(key)> is missing.") }
      let text = bucket.isSensitive(key) ? ValueText.redacted : "<\(ValueText.describe(value))>"
      guard value is String else {
        return (key, "<\(key)> is \(text) with type <\(type(of: value))>, but NOT type <String>.")
      }
      return (key, "<\(key)> is \(text).")
    }
  }
}
