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
      engine.recorder.record(describeKeys(of: cases.branches), source: source)
      return .chosen(nil)
    }
    engine.recorder.record(describe(branch.condition), source: source)
    return .chosen(branch.block)
  }

  /// The condition that was met, without its value if the key is sensitive, now or later.
  private func describe(_ condition: FlowCase) -> RecordedKind {
    guard let key = condition.key else { return .plain(.caseChosen(condition.text)) }
    let (name, value) = (ValueText.name(key), ValueText.cutCounting(condition.value, limit: ValueText.limit))
    let hidden = "\(name)=\(ValueText.redacted)"
    if condition.isSensitive || engine.bucket.isSensitive(key) { return .plain(.caseChosen(hidden)) }
    let part = KeyedTexts.Part(name: name, text: .made("\(name)=\(value)"), hidden: hidden)
    return .keyed(KeyedTexts([part]) { .caseChosen($0[0]) })
  }

  /// What the keys hold that the branches look at, each once.
  private func describeKeys(of branches: [Blueprint.Branch]) -> RecordedKind {
    let bucket = engine.bucket
    var keys: [String] = []
    for case let key? in branches.map(\.condition.key) where !keys.contains(key) { keys.append(key) }
    let parts = keys.map { key in
      let name = ValueText.name(key)
      guard let value = bucket.value(named: key) else {
        let text = "<\(name)> is missing."
        return KeyedTexts.Part(name: name, text: .made(text), hidden: text)
      }
      let type = value is String ? "" : " with type <\(type(of: value))>, but NOT type <String>"
      let hidden = "<\(name)> is \(ValueText.redacted)\(type)."
      let shown = bucket.isSensitive(key) ? hidden : "<\(name)> is <\(ValueText.describe(value))>\(type)."
      return KeyedTexts.Part(name: name, text: .made(shown), hidden: hidden)
    }
    return .keyed(KeyedTexts(parts) { .noCaseMatched(held: $0.joined(separator: " ")) })
  }
}
