import OperationFlow

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
    digest.cause.map { cause in
      let (failure, aftermath) = (cause.failure, cause.aftermath)
      return Cause(
        name: failure.name, path: cause.path, item: failure.item, attempt: failure.attempt, problem: failure.problem,
        remedy: failure.remedy, inputs: cause.inputs, undoFailures: aftermath.undoFailures.map(UndoFailure.init),
        undoneCount: aftermath.undone.values.reduce(0, +))
    }
  }
}

extension FlowRecord.UndoFailure {
  fileprivate init(_ failure: RunAftermath.UndoFailure) {
    self.init(
      name: failure.name, step: failure.step, item: failure.item, attempt: failure.attempt, error: failure.error)
  }
}
