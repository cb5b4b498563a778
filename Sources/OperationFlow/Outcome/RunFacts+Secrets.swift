extension EventLog {
  /// The texts of the values of a run that are hidden: in its events, in its bucket, and the outputs of its groups' items.
  ///
  /// Types of values may be asked for their texts, so no lock may be held.
  func secrets(among values: [String: any Sendable], _ facts: RunFacts) -> SecretTexts {
    var secrets = SecretTexts()
    _ = insertSecrets(into: &secrets)
    insertSecrets(into: &secrets, among: values, facts)
    return secrets
  }

  /// Adds those that are not in the events: some values by their names, outputs, and texts that were kept.
  func insertSecrets(into secrets: inout SecretTexts, among values: [String: any Sendable], _ facts: RunFacts) {
    for text in otherSecrets { secrets.insert(whole: text) }
    if hidden.isEmpty { return }
    for (name, value) in values where hidden.contains(ValueText.name(name)) { secrets.insert(value: value) }
    for items in facts.items.values {
      guard let name = items.outputName, hidden.contains(ValueText.name(name)) else { continue }
      for output in items.partialOutputs.values { secrets.insert(value: output) }
    }
  }
}
