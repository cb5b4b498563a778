import OperationFlow

extension FlowError.Code {
  /// The contents of a store can't be read as a step of the progression.
  public static let unreadableStep = Self("unreadableStep")
}
