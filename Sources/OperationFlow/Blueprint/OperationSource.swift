/// Where a step's operation comes from.
package enum OperationSource: Sendable {
  /// A single object, created by the user, which can run once.
  case instance(OperationInstance)
  /// Created anew for each run, when the step is reached; `type` is what is created, or what creates it.
  case factory(type: OperationType, @Sendable () -> FlowOperation)
}
