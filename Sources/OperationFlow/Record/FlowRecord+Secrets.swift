extension FlowRecord {
  /// The record with every text that contains a secret changed: names and paths, lines, values, errors, and items.
  package func scrubbing(_ secrets: SecretTexts) -> FlowRecord {
    if secrets.isEmpty { return self }
    let text = secrets.scrubbing
    let record = FlowRecord(
      flowName: text(flowName), steps: steps.map { $0.mappingTexts(text) }, events: [],
      itemFailures: itemFailures.map { failure in
        ItemFailure(
          name: text(failure.name), step: failure.step, index: failure.index, input: text(failure.input),
          error: text(failure.error), attempt: failure.attempt)
      }, ending: ending?.mappingTexts(text), runID: runID)
    return record.with(events.map { $0.mappingTexts(text) })
  }
}

extension FlowRecord.Step {
  fileprivate func mappingTexts(_ text: (String) -> String) -> FlowRecord.Step {
    FlowRecord.Step(
      id: id, parent: parent, name: text(name), number: number, kind: kind, path: path.mappingText(text),
      inputs: inputs.map(text), outputs: outputs.map(text), options: options, state: state, duration: duration,
      beforeResume: beforeResume, attempts: attempts, items: items)
  }
}

extension FlowRecord.Ending {
  fileprivate func mappingTexts(_ map: (String) -> String) -> FlowRecord.Ending {
    let failure = failure.map { failure in
      FlowRecord.Failure(
        name: map(failure.name), step: failure.step, item: failure.item, attempt: failure.attempt,
        problem: map(failure.problem), remedy: failure.remedy.map(map), isRefusal: failure.isRefusal)
    }
    return FlowRecord.Ending(result: result, duration: duration, text: map(text), failure: failure)
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
