/// The results of a group's items, once all of them have ended.
public struct FlowGroupResults: Sendable {
  /// The output of each item, in input order; `nil` if it failed or has none.
  public let outputs: [(any Sendable)?]
  /// The items that failed, in the order in which they failed.
  public let failures: [FlowItemFailure]

  /// Creates results, for testing a dispatcher.
  ///
  /// - Parameters:
  ///   - outputs: The output of each item, in input order.
  ///   - failures: The items that failed.
  public init(outputs: [(any Sendable)?], failures: [FlowItemFailure] = []) {
    self.outputs = outputs
    self.failures = failures
  }
}
