extension RunDigest {
  /// The digest with every text that contains a secret changed: names and paths, lines, values, errors, and items.
  package func scrubbing(_ secrets: SecretTexts) -> RunDigest {
    if secrets.isEmpty { return self }
    let text = secrets.scrubbing
    let steps = steps.map { $0.mappingTexts(text) }
    let scrubbed = RunDigest(
      runID: runID, flowName: text(flowName), steps: steps, events: [],
      itemFailures: itemFailures.map { failure in
        ItemFailure(
          name: text(failure.name), step: failure.step, index: failure.index, input: text(failure.input),
          error: text(failure.error), attempt: failure.attempt)
      }, ending: ending?.mappingTexts(text), skippedEventCount: skippedEventCount)
    return RunDigest(
      runID: runID, flowName: scrubbed.flowName, steps: steps,
      events: events.map { event in
        let event = event.mappingTexts(text)
        return event.step.flatMap(scrubbed.step).map { event.at($0.path) } ?? event
      }, itemFailures: scrubbed.itemFailures, ending: scrubbed.ending, skippedEventCount: skippedEventCount)
  }
}

extension RunDigest.Step {
  fileprivate func mappingTexts(_ text: (String) -> String) -> RunDigest.Step {
    RunDigest.Step(
      id: id, parent: parent, name: text(name), number: number, kind: kind, path: path.mappingText(text),
      inputs: inputs.map(text), outputs: outputs.map(text), options: options, state: state, duration: duration,
      beforeResume: beforeResume, attempts: attempts, items: items)
  }
}

extension RunDigest.Ending {
  fileprivate func mappingTexts(_ map: (String) -> String) -> RunDigest.Ending {
    let failure = failure.map { failure in
      RunDigest.Failure(
        name: map(failure.name), step: failure.step, item: failure.item, attempt: failure.attempt,
        problem: map(failure.problem), remedy: failure.remedy.map(map), isRefusal: failure.isRefusal)
    }
    return RunDigest.Ending(result: result, duration: duration, text: map(text), failure: failure)
  }
}

extension FlowEvent {
  fileprivate func mappingTexts(_ text: (String) -> String) -> FlowEvent {
    let recorded = RecordedEvent(
      date: date, source: source.named(text(source.name)).failing(source.failure), kind: kind.mappingTexts(text),
      number: number)
    return FlowEvent(recorded, place)
  }
}
