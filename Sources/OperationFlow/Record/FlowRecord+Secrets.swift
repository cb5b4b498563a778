import Foundation

extension FlowRecord {
  /// The record with every text that contains a secret changed: names and paths, lines, values, errors, and items.
  func scrubbing(_ secrets: SecretTexts) -> FlowRecord {
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

extension FlowDiagnosis {
  /// The diagnosis with every name and path that contains a secret changed.
  func scrubbing(_ secrets: SecretTexts) -> FlowDiagnosis {
    if secrets.isEmpty { return self }
    var diagnosis = self
    diagnosis.flowName = secrets.scrubbing(flowName)
    diagnosis.waiting = waiting.map { waiting in
      var waiting = waiting
      waiting.source = waiting.source.named(secrets.scrubbing(waiting.source.name))
      waiting.path = waiting.path?.mappingText(secrets.scrubbing)
      waiting.dependencies = waiting.dependencies.map(secrets.scrubbing)
      return waiting
    }
    return diagnosis
  }
}

extension FlowRecord.Step {
  fileprivate func mappingTexts(_ text: (String) -> String) -> FlowRecord.Step {
    FlowRecord.Step(
      id: id, parent: parent, name: text(name), number: number, kind: kind, path: path.mappingText(text),
      inputs: inputs.map(text), outputs: outputs.map(text), options: options, state: state, duration: duration,
      attempts: attempts, items: items)
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

extension FlowPath {
  /// The same path, unless its text changes.
  fileprivate func mappingText(_ map: (String) -> String) -> FlowPath {
    let (text, mapped) = (description, map(description))
    return text == mapped ? self : FlowPath(mapped)
  }
}

extension SecretTexts {
  /// Adds the texts that a value consists of; no code of its type runs, because a hidden value is never described.
  mutating func insert(value: Any) { insert(value: value, depth: 0) }

  private mutating func insert(value: Any, depth: Int) {
    switch value {
    case let text as String: insert(text)
    case let number as Int: insert(number.description)
    case let json as StoredJSON:
      // The texts of a value whose type no one has asked for yet are those in its JSON.
      let parts = try? JSONSerialization.jsonObject(with: Data(json.json), options: .fragmentsAllowed)
      if let parts, depth < 4 { insert(value: parts, depth: depth + 1) }
    case let elements as [Any] where elements.count <= 10_000 && !(value is [UInt8]):
      for element in elements where depth < 4 { insert(value: element, depth: depth + 1) }
    case let elements as [AnyHashable: Any] where elements.count <= 10_000:
      for element in elements.values where depth < 4 { insert(value: element, depth: depth + 1) }
    case is any CustomReflectable: return
    default:
      guard depth < 4 else { return }
      for child in Mirror(reflecting: value).children { insert(value: child.value, depth: depth + 1) }
    }
  }
}
