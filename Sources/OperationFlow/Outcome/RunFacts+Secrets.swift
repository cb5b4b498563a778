extension EventLog {
  /// The texts of the values of a run that are hidden: in its events, in its bucket, and the outputs of its groups' items.
  ///
  /// Types of values may be asked for their texts, so no lock may be held. Those in its events may be known already.
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
