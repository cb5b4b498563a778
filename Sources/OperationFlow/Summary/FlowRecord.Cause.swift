extension FlowRecord {
  /// The cause of a failure: its place, its error, the values that the step had read, and the remedy.
  public struct Cause: Sendable, Hashable {
    /// The name of the step or item that failed, as a summary shows it, such as `[words #3]`.
    public let name: String
    /// The place of the step in its flow; `nil` if no step caused the failure.
    public let path: FlowPath?
    /// The index of the group's item; `nil` outside groups.
    public let item: Int?
    /// The number of the attempt that failed, counted from 1.
    public let attempt: Int
    /// The problem.
    public let problem: String
    /// The remedy; `nil` if the error has none.
    public let remedy: String?
    /// The values that the step declares to read, as they were when the step began; for an item, also the item itself.
    ///
    /// The text of a value is `not recorded` if an event that the record has left out may have written it.
    public let inputs: [FlowEvent.Item]
    /// The undos that failed, as far as the record contains them.
    public let undoFailures: [UndoFailure]
    /// The number of steps and items that were undone, as far as the record contains them.
    public let undoneCount: Int
  }

  /// An undo that failed, after a failure or a cancellation.
  public struct UndoFailure: Sendable, Hashable {
    /// The name of the step or item, as a summary shows it, such as `[words #3]`.
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

  /// The cause of the run's failure; `nil` unless it failed.
  public var cause: Cause? {
    guard let ending, ending.result == .failed, let failure = ending.failure else { return nil }
    let step = failure.step.flatMap(step)
    let aftermath = RunAftermath(self)
    return Cause(
      name: failure.name, path: step?.path, item: failure.item, attempt: failure.attempt, problem: failure.problem,
      remedy: failure.remedy, inputs: inputs(of: step, failure),
      undoFailures: aftermath.undoFailures.map(UndoFailure.init), undoneCount: aftermath.undoneCount)
  }

  /// Returns the item that failed, and the values that the step declares to read.
  private func inputs(of step: Step?, _ failure: Failure) -> [FlowEvent.Item] {
    let item = itemFailures.last { $0.step == step?.id && $0.index == failure.item }
    let inputs = item.map { [FlowEvent.Item(name: "item", text: $0.input)] } ?? []
    return inputs + (step.map { values(readBy: $0, failure) } ?? [])
  }

  /// Returns the values that a step, or its item, had when its last attempt began, unless they are uncertain.
  private func values(readBy step: Step, _ failure: Failure) -> [FlowEvent.Item] {
    if step.inputs.isEmpty { return [] }
    let start = events.lastIndex { $0.step == step.id && $0.source.item == failure.item && $0.kind == .started }
    let end = events.lastIndex { event in
      if case .finished = event.kind { event.step == step.id && event.source.item == failure.item } else { false }
    }
    let texts = BucketTexts(events, before: start ?? end ?? events.endIndex)
    // The start of the last attempt may be among the events that were left out.
    let isStart = start.map { events[$0].attempt >= failure.attempt } ?? false
    let isKnown = isStart || !events.contains(where: \.kind.isLeftOut)
    return step.inputs.map { name in
      FlowEvent.Item(name: name, text: (isKnown ? texts.text(of: name) : nil) ?? BucketTexts.unknown)
    }
  }
}

extension FlowRecord.Cause {
  /// The place where the run failed, and the values that the step had read; `nil` if no step caused the failure.
  package var placeText: String? {
    guard let path else { return nil }
    let place = LineText.escaped(ValueText.cut(path.description, limit: 300))
    let values = inputsText.map { "; it read \($0)" } ?? ""
    return "Failed at: \(place)\(item.map { ", item \($0.itemNumber)" } ?? "")\(values)"
  }

  /// At most 10 values that the step had read, of at most 100 characters each; `nil` if it declares none.
  var inputsText: String? {
    guard !inputs.isEmpty else { return nil }
    let shown = inputs.prefix(10).map { input in
      LineText.escaped("\(input.name) = \(ValueText.cut(input.text, limit: 100))")
    }
    let rest = inputs.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension FlowRecord.UndoFailure {
  fileprivate init(_ event: FlowEvent) {
    self.init(
      name: event.source.description, step: event.step, item: event.source.item, attempt: event.attempt,
      error: event.errorText)
  }
}
