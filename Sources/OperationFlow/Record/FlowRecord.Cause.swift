extension FlowRecord {
  /// Why a run failed: where, with what, what the step had read, and what to do about it.
  public struct Cause: Sendable, Hashable {
    /// What failed, as a summary shows it, such as `[words #3]`.
    public let name: String
    /// The place of the step in its flow; `nil` if no step is to blame.
    public let path: FlowPath?
    /// The index of the group's item; `nil` outside groups.
    public let item: Int?
    /// The number of the attempt that failed, counted from 1.
    public let attempt: Int
    /// What is wrong.
    public let problem: String
    /// What to do about it; `nil` if the error doesn't say.
    public let remedy: String?
    /// The values that the step declares to read, as they were when it began; for an item, also the item itself.
    public let inputs: [FlowEvent.Item]
    /// What could not be undone after it, as far as the record has it.
    public let undoFailures: [UndoFailure]
    /// How many steps and items were undone after it, as far as the record has them.
    public let undoneCount: Int
  }

  /// What could not be undone after a failure or a cancellation.
  public struct UndoFailure: Sendable, Hashable {
    /// What could not be undone, as a summary shows it, such as `[words #3]`.
    public let name: String
    /// The ``Step/id`` of the step; `nil` if it isn't known.
    public let step: Int?
    /// The index of the group's item; `nil` outside groups.
    public let item: Int?
    /// The number of the last attempt, counted from 1.
    public let attempt: Int
    /// The text of the error.
    public let error: String
  }

  /// Why the run failed; `nil` unless it failed.
  public var cause: Cause? {
    guard let failure = ending?.failure else { return nil }
    let step = failure.step.flatMap(step)
    var inputs: [FlowEvent.Item] = []
    if let index = failure.item, let item = itemFailures.last(where: { $0.step == step?.id && $0.index == index }) {
      inputs.append(FlowEvent.Item(name: "item", text: item.input))
    }
    if let step, !step.inputs.isEmpty {
      let values = bucket(before: step.id, failure.item).values
      inputs += step.inputs.map { FlowEvent.Item(name: $0, text: values[$0] ?? "missing") }
    }
    let aftermath = RecordAftermath(self)
    return Cause(
      name: failure.name, path: step?.path, item: failure.item, attempt: failure.attempt, problem: failure.problem,
      remedy: failure.remedy, inputs: inputs, undoFailures: aftermath.undoFailures,
      undoneCount: aftermath.undone.values.reduce(0, +))
  }

  /// The flow's bucket as it was when a step, or an item of it, began for the last time.
  private func bucket(before step: Int, _ item: Int?) -> BucketTexts {
    let start = events.lastIndex { $0.step == step && $0.source.item == item && $0.kind == .started }
    let end = events.lastIndex { $0.step == step && $0.source.item == item && $0.kind.isFinish }
    var bucket = BucketTexts()
    for event in events[..<(start ?? end ?? events.endIndex)] { bucket.apply(event) }
    return bucket
  }
}

extension FlowEvent.Kind {
  fileprivate var isFinish: Bool { if case .finished = self { true } else { false } }
}
