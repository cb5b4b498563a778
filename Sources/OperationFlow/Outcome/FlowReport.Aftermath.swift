extension FlowReport {
  /// A step or an item that has recovered from the failure of its last attempt, and so counts as succeeded.
  public struct Recovery: Sendable, CustomStringConvertible {
    package let work: ReportedWork

    /// The name of the step or item, as a summary shows it, such as `[words #3]`.
    public var name: String { work.name }
    /// The index of the group's item; `nil` outside groups.
    public var item: Int? { work.item }
    /// The number of attempts.
    public var attempts: Int { work.attempt }
    /// The place of the step in its flow.
    public var path: FlowPath? { work.path }
    /// The error of the last attempt.
    public var error: any Error { work.failure }

    /// The name of the step or item, and the error from which it has recovered.
    public var description: String { "\(name) recovered from \(work.failureText)" }
  }

  /// An undo of a step or an item, and its result.
  public struct Undo: Sendable, CustomStringConvertible {
    package let work: ReportedWork

    /// The name of the step or item, as a summary shows it, such as `[words #3]`.
    public var name: String { work.name }
    /// The index of the group's item; `nil` outside groups.
    public var item: Int? { work.item }
    /// The number of attempts.
    public var attempts: Int { work.attempt }
    /// The place of the step in its flow.
    public var path: FlowPath? { work.path }
    /// The error of the last attempt; `nil` if it succeeded.
    public var error: (any Error)? { work.error }

    /// The name of the step or item, and the reason if it could not be undone.
    public var description: String {
      error == nil ? "\(name) was undone" : "\(name) could not be undone: \(work.failureText)"
    }
  }

  /// A failure among the steps that run at the end, whatever happened; its error has the code `cancelled` for a cancelled step.
  public typealias AlwaysFailure = Failure

  /// The steps and items that have recovered from a failure, in the order in which they did.
  public var recoveries: [Recovery] { facts.notes(.recovery).map { Recovery(work: $0) } }

  /// The undos after a failure or a cancellation, in their order, with the error of each undo that failed.
  public var undos: [Undo] { facts.notes(.undo).map { Undo(work: $0) } }

  /// The failures of steps that run at the end, whatever happened, in the order in which they came.
  public var alwaysFailures: [AlwaysFailure] { facts.notes(.alwaysFailure).map { Failure(work: $0) } }
}
