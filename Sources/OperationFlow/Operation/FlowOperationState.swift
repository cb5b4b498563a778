/// The stage in an operation's life.
public enum FlowOperationState: Sendable {
  /// The operation has not started.
  case idle
  /// The operation runs, or waits for its asynchronous work.
  case executing
  /// The operation has ended.
  case finished(FlowOperationStateFinishType)
}

/// The way in which an operation ended.
public enum FlowOperationStateFinishType: Sendable {
  /// The operation succeeded.
  case successfully
  /// The operation failed with an error, which is a ``FlowError`` with the code `cancelled` if it was cancelled.
  case withError(any Error)
  /// The operation asked for a name that the data bucket doesn't hold; the text names it.
  case withInsufficientInputData(String)
  /// The operation asked for a type that doesn't match the data bucket's value; the text describes what was found.
  case withMismatchInputDataType(String)
}

/// Creates operations, one for each item of a group.
public protocol FlowOperationCreator: SendableMetatype {
  /// Creates a new operation, which has not been used before.
  static func create() -> FlowOperation
}
