extension FlowReport {
  /// A step or an item that has recovered from the failure of its last attempt, and so counts as succeeded.
  public struct Recovery: Sendable, CustomStringConvertible {
    /// The name of the step or item, as a summary shows it, such as `[words #3]`.
    public let name: String
    /// The place of the step in its flow.
    public private(set) var path: FlowPath?
    /// The index of the group's item; `nil` outside groups.
    public let item: Int?
    /// The number of attempts.
    public let attempts: Int
    /// The error of the last attempt.
    public private(set) var error: any Error
    /// The error's text as it was made when it came; `nil` for an error that is asked for it.
    package let errorText: String?

    /// The name of the step or item, and the error from which it has recovered.
    public var description: String { "\(name) recovered from \(errorText ?? ValueText.describe(error: error))" }

    fileprivate init(_ work: ReportedWork) {
      (name, path, item, attempts) = (work.name, work.path, work.item, work.attempt)
      (error, errorText) = (work.failure, work.errorText)
    }
  }

  /// The steps and items that have recovered from a failure, in the order in which they did.
  public var recoveries: [Recovery] { facts.notes(.recovery).map(Recovery.init) }
}
