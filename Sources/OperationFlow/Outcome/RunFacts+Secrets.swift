extension EventLog {
  /// The hidden texts in a run's events, where they may be known, its bucket, and its groups' outputs; no lock may be held.
  func secrets(
    among values: [String: any Sendable], _ facts: RunFacts, ofEvents known: SecretTexts? = nil
  ) -> SecretTexts {
    var secrets = known ?? SecretTexts()
    if known == nil { insertSecrets(into: &secrets) }
    for text in otherSecrets { secrets.insert(whole: text) }
    if hidden.isEmpty { return secrets }
    for (name, value) in values where hidden.contains(ValueText.name(name)) { secrets.insert(value: value) }
    for items in facts.items.values {
      guard let name = items.outputName, hidden.contains(ValueText.name(name)) else { continue }
      for output in items.partialOutputs.values { secrets.insert(value: output) }
    }
    return secrets
  }
}
