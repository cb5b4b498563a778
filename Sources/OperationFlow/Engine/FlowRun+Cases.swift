extension FlowRun {
  /// The first branch whose key holds its string, or else the one for no match.
  func chooseBranch(_ id: Blueprint.StepID) -> RunResult {
    guard case .cases(let cases) = blueprint.steps[id].kind else { return .chosen(nil) }
    let branches = cases.branches
    let matching = branches.first { branch in
      guard let key = branch.condition.key else { return false }
      return bucket.value(named: key) as? String == branch.condition.value
    }
    guard let branch = matching ?? branches.first(where: { $0.condition == .otherwise }) else {
      recorder.record(.noCaseMatched(held: describeKeys(of: branches)), source: .cases)
      return .chosen(nil)
    }
    let key = branch.condition.key
    let isSensitive = key.map(bucket.isSensitive) ?? false
    let text = isSensitive ? "\(key ?? "")=\(ValueText.redacted)" : branch.condition.text
    recorder.record(.caseChosen(text), source: .cases)
    return .chosen(branch.block)
  }

  /// What the keys hold that the branches look at, each once.
  private func describeKeys(of branches: [Blueprint.Branch]) -> String {
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
