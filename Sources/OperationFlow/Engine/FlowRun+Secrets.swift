extension FlowRun {
  /// The texts of the values that its record hides; it may ask values for their texts, so no lock may be held.
  package var secrets: SecretTexts { recorder.log.secrets(among: bucket.values, facts) }

  /// The names of what has begun and has not ended, the oldest first, without what is hidden.
  package func namesAtWork(hiding secrets: SecretTexts) -> [String] {
    engine?.waitingFor.map { secrets.scrubbing($0.source.description) } ?? []
  }
}

extension FlowRun.Waiting {
  /// The same with every name and path changed that contains a secret.
  func scrubbing(_ secrets: SecretTexts) -> FlowRun.Waiting {
    if secrets.isEmpty { return self }
    var waiting = self
    waiting.source = source.named(secrets.scrubbing(source.name))
    waiting.path = path?.scrubbing(secrets)
    waiting.dependencies = dependencies.map(secrets.scrubbing)
    waiting.keptBy = keptBy.map(secrets.scrubbing)
    return waiting
  }
}
