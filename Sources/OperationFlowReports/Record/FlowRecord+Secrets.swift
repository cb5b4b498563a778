import OperationFlow

extension FlowRecord {
  /// Returns the record with the secrets hidden in all texts: names, paths, lines, values, errors and items.
  package func scrubbing(_ secrets: SecretTexts) -> FlowRecord {
    if secrets.isEmpty { return self }
    let steps = steps.map { $0.scrubbing(secrets) }
    let paths = Dictionary(steps.map { ($0.id, $0.path) }) { first, _ in first }
    return FlowRecord(
      flowName: secrets.scrubbing(flowName), steps: steps,
      events: events.map { $0.scrubbing(secrets, path: $0.step.flatMap { paths[$0] }) },
      itemFailures: itemFailures.map { $0.scrubbing(secrets) }, ending: ending.map { $0.scrubbing(secrets) },
      skippedEventCount: skippedEventCount, runID: runID)
  }
}

extension FlowRecord.Step {
  fileprivate func scrubbing(_ secrets: SecretTexts) -> Self {
    Self(
      id: id, parent: parent, name: secrets.scrubbing(name), number: number, kind: kind, path: path.scrubbing(secrets),
      inputs: inputs.map(secrets.scrubbing), outputs: outputs.map(secrets.scrubbing), options: options, state: state,
      duration: duration, beforeResume: beforeResume, attempts: attempts, items: items)
  }
}

extension FlowRecord.ItemFailure {
  fileprivate func scrubbing(_ secrets: SecretTexts) -> Self {
    Self(
      name: secrets.scrubbing(name), step: step, index: index, input: secrets.scrubbing(input),
      error: secrets.scrubbing(error), attempt: attempt)
  }
}

extension FlowRecord.Ending {
  fileprivate func scrubbing(_ secrets: SecretTexts) -> Self {
    let failure = failure.map { failure in
      FlowRecord.Failure(
        name: secrets.scrubbing(failure.name), step: failure.step, item: failure.item, attempt: failure.attempt,
        problem: secrets.scrubbing(failure.problem), remedy: failure.remedy.map(secrets.scrubbing),
        isRefusal: failure.isRefusal)
    }
    return Self(result: result, duration: duration, text: secrets.scrubbing(text), failure: failure)
  }
}
