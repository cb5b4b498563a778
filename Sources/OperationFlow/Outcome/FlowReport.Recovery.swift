extension FlowReport {
  /// A step or an item that has recovered from the failure of its last attempt, and so counts as succeeded.
  public struct Recovery: Sendable, CustomStringConvertible {
    fileprivate let work: ReportedWork

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
    /// The error's text as it was made when it came; `nil` for an error that is asked for it.
    package var errorText: String? { work.errorText }

    /// The name of the step or item, and the error from which it has recovered.
    public var description: String { "\(name) recovered from \(work.failureText)" }
  }

  /// The steps and items that have recovered from a failure, in the order in which they did.
  public var recoveries: [Recovery] { facts.notes(.recovery).map { Recovery(work: $0) } }
}
