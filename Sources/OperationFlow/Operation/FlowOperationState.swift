/// The stage in an operation's life.
public enum FlowOperationState: Sendable {
  /// It has not started.
  case idle
  /// It runs, or waits for its asynchronous work.
  case executing
  /// It has ended.
  case finished(FlowOperationStateFinishType)
}

/// How an operation ended.
public enum FlowOperationStateFinishType: Sendable {
  /// It succeeded.
  case successfully
  /// It failed with an error, which is a ``FlowError`` with the code `cancelled` if the operation was cancelled.
  case withError(any Error)
  /// It asked for a name that the data bucket doesn't hold; the text names it.
  case withInsufficientInputData(String)
  /// It asked for a type that doesn't match the data bucket's value; the text describes what was found.
  case withMismatchInputDataType(String)
}

/// Creates operations, one for each item of a group.
public protocol FlowOperationCreator: SendableMetatype {
  /// Creates a new operation.
  ///
  /// - Returns: An operation that has not been used before.
  static func create() -> FlowOperation
}
