extension RunDigest {
  /// The digest with every text that contains a secret changed: names and paths, lines, values, errors, and items.
  package func scrubbing(_ secrets: SecretTexts) -> RunDigest {
    if secrets.isEmpty { return self }
    let text = secrets.scrubbing
    var digest = self
    digest.flowName = text(flowName)
    for index in steps.indices { digest.steps[index].mapTexts(text) }
    for index in itemFailures.indices { digest.itemFailures[index].mapTexts(text) }
    digest.ending?.mapTexts(text)
    digest.events = events.map { event in
      let recorded = RecordedEvent(
        date: event.date, source: event.source.named(text(event.source.name)).failing(event.source.failure),
        kind: event.kind.mappingTexts(text), number: event.number)
      return FlowEvent(recorded, event.step.flatMap(digest.step).map { .path($0.path) } ?? event.place)
    }
    return digest
  }
}

extension RunDigest.Step {
  fileprivate mutating func mapTexts(_ text: (String) -> String) {
    (name, path) = (text(name), path.mappingText(text))
    (inputs, outputs) = (inputs.map(text), outputs.map(text))
  }
}

extension RunDigest.ItemFailure {
  fileprivate mutating func mapTexts(_ text: (String) -> String) {
    (name, input, error) = (text(name), text(input), text(error))
  }
}

extension RunDigest.Ending {
  fileprivate mutating func mapTexts(_ map: (String) -> String) {
    text = map(text)
    guard var failed = failure else { return }
    (failed.name, failed.problem) = (map(failed.name), map(failed.problem))
    failed.remedy = failed.remedy.map(map)
    failure = failed
  }
}
