/// What a group's items have left, once all of them have ended.
public struct FlowGroupResults: Sendable {
  /// For each item, in input order, its output; `nil` if it failed or left none.
  public let outputs: [(any Sendable)?]
  /// The items that failed, in the order in which they failed.
  public let failures: [FlowItemFailure]

  /// Makes results, for a test of a dispatcher.
  ///
  /// - Parameters:
  ///   - outputs: For each item, in input order, its output.
  ///   - failures: The items that failed.
  public init(outputs: [(any Sendable)?], failures: [FlowItemFailure] = []) {
    self.outputs = outputs
    self.failures = failures
  }
}
