import OperationFlow

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
    let digest = digest
    guard let failure = digest.ending?.failure else { return nil }
    let cause = digest.cause(of: failure)
    let aftermath = RunAftermath(digest)
    return Cause(
      name: failure.name, path: cause.path, item: failure.item, attempt: failure.attempt, problem: failure.problem,
      remedy: failure.remedy, inputs: cause.inputs, undoFailures: aftermath.undoFailures.map(UndoFailure.init),
      undoneCount: aftermath.undoneCount)
  }
}

extension FlowRecord.UndoFailure {
  fileprivate init(_ event: FlowEvent) {
    self.init(
      name: event.source.description, step: event.step, item: event.source.item, attempt: event.attempt,
      error: event.errorText)
  }
}
