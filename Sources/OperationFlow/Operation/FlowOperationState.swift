/// The stage of its life that an operation has reached.
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
  /// It failed with an error; with a ``FlowError`` of the code `cancelled` if it was cancelled.
  case withError(any Error)
  /// It asked for a name that the data bucket does not hold; the text says which.
  case withInsufficientInputData(String)
  /// It asked for a type that the data bucket's value is not of; the text says what was found.
  case withMismatchInputDataType(String)
}

/// Makes operations, one for each item of a group.
public protocol FlowOperationCreator: SendableMetatype {
  /// Makes a new operation.
  ///
  /// - Returns: An operation that has not been used before.
  static func create() -> FlowOperation
}
