extension FlowPath {
  /// The same path, unless its text contains a secret.
  package func scrubbing(_ secrets: SecretTexts) -> FlowPath {
    if secrets.isEmpty { return self }
    let text = description
    let shown = secrets.scrubbing(text)
    return text == shown ? self : FlowPath(shown)
  }
}

extension FlowEvent {
  /// The event with every text changed that contains a secret; `path` is the one of its step, if that is known.
  package func scrubbing(_ secrets: SecretTexts, path: FlowPath?) -> FlowEvent {
    if secrets.isEmpty { return self }
    return FlowEvent(
      date: date, source: source.named(secrets.scrubbing(source.name)).failing(source.failure),
      kind: kind.changingTexts(.scrubbed(secrets)), number: number, path: path ?? self.path)
  }
}
