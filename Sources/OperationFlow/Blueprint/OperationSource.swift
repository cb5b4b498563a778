/// Where a step's operation comes from.
enum OperationSource: Sendable {
  /// One object, made by the user: it can run once.
  case instance(OperationInstance)
  /// Made when the step is reached, for each run anew. The type is that of what is made, or of what makes it.
  case factory(type: OperationType, @Sendable () -> FlowOperation)
}
