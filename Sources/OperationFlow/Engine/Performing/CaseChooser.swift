/// Looks which branch of a cases step fits what the data bucket holds.
struct CaseChooser {
  let engine: RunEngine

  /// The first branch whose key holds its string, or else the one for no match.
  func choose(_ step: Blueprint.StepID) -> RunResult {
    guard case .cases(let cases) = engine.blueprint.steps[step].kind else { return .chosen(nil) }
    let bucket = engine.bucket
    let source = FlowEvent.Source("Cases", step: step)
    let matching = cases.branches.first { branch in
      guard let key = branch.condition.key else { return false }
      return bucket.value(named: key) as? String == branch.condition.value
    }
    guard let branch = matching ?? cases.branches.first(where: { $0.condition == .otherwise }) else {
      engine.recorder.record(.noCaseMatched(held: describeKeys(of: cases.branches)), source: source)
      return .chosen(nil)
    }
    let key = branch.condition.key
    let isSensitive = key.map(bucket.isSensitive) ?? false
    let text = isSensitive ? "\(key ?? "")=\(ValueText.redacted)" : branch.condition.text
    engine.recorder.record(.caseChosen(text), source: source)
    return .chosen(branch.block)
  }

  /// What the keys hold that the branches look at, each once.
  private func describeKeys(of branches: [Blueprint.Branch]) -> String {
    let bucket = engine.bucket
    var keys: [String] = []
    for case let key? in branches.map(\.condition.key) where !keys.contains(key) { keys.append(key) }
    return keys.map { key in
      guard let value = bucket.value(named: key) else { return "<\(key)> is missing." }
      let text = bucket.isSensitive(key) ? ValueText.redacted : "<\(ValueText.describe(value))>"
      guard value is String else { return "<\(key)> is \(text) with type <\(type(of: value))>, but NOT type <String>." }
      return "<\(key)> is \(text)."
    }.joined(separator: " ")
  }
}
