extension RunDigest {
  package final class Cause: Sendable {
    package let failure: Failure
    /// The place of the step in its flow; `nil` if no step is to blame.
    package let path: FlowPath?
    /// The values that the step declares to read, as they were when it began; for an item, also the item itself.
    package let inputs: [FlowEvent.Item]

    fileprivate init(_ failure: Failure, _ path: FlowPath?, _ inputs: [FlowEvent.Item]) {
      (self.failure, self.path, self.inputs) = (failure, path, inputs)
    }

    /// Where the run failed, and what the step had read; `nil` if no step is to blame.
    package var placeText: String? {
      guard let path else { return nil }
      let place = LineText.escaped(ValueText.cut(path.description, limit: 300))
      let values = inputsText.map { "; it read \($0)" } ?? ""
      return "Failed at: \(place)\(failure.item.map { ", item #\($0)" } ?? "")\(values)"
    }

    /// The values that the step had read, in one line: at most 10, of at most 100 characters each; `nil` if it declares none.
    var inputsText: String? {
      guard !inputs.isEmpty else { return nil }
      let shown = inputs.prefix(10).map { input in
        LineText.escaped("\(input.name) = \(ValueText.cut(input.text, limit: 100))")
      }
      let rest = inputs.count - shown.count
      return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
  }

  /// Why the run failed; `nil` unless it failed.
  package var cause: Cause? {
    guard let failure = ending?.failure else { return nil }
    let step = failure.step.flatMap(step)
    var inputs: [FlowEvent.Item] = []
    if let index = failure.item, let item = itemFailures.last(where: { $0.step == step?.id && $0.index == index }) {
      inputs.append(FlowEvent.Item(name: "item", text: item.input))
    }
    if let step, !step.inputs.isEmpty {
      let values = bucket(before: step.id, failure.item)
      inputs += step.inputs.map { FlowEvent.Item(name: $0, text: values[$0] ?? "missing") }
    }
    return Cause(failure, step?.path, inputs)
  }

  /// The flow's bucket as it was when a step, or an item of it, began for the last time.
  private func bucket(before step: Int, _ item: Int?) -> [String: String] {
    let start = events.lastIndex { $0.step == step && $0.source.item == item && $0.kind == .started }
    let end = events.lastIndex { event in
      if case .finished = event.kind { event.step == step && event.source.item == item } else { false }
    }
    var bucket: [String: String] = [:]
    for event in events[..<(start ?? end ?? events.endIndex)] { bucket.apply(event) }
    return bucket
  }
}
