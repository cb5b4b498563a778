import OperationFlow

extension FlowError.Code {
  /// The store of a progression could not save, load or clear a step.
  public static let storeFailed = Self("storeFailed")
  /// The contents of a store can't be read as a step of the progression.
  public static let unreadableStep = Self("unreadableStep")
}
