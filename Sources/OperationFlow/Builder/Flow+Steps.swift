import Foundation

extension Flow {
  /// Adds one operation, which can run once: with it the flow can be started once.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func add(operation: FlowOperation, flowCase: FlowCase? = nil) -> Flow {
    add(Blueprint.Step(name: operation.ownName, kind: .operation(.instance(OperationInstance(operation)))), flowCase)
  }

  /// Adds an operation that is made when the step is reached, anew for each run.
  ///
  /// - Parameters:
  ///   - operation: Makes the operation, such as `LoginOp()`.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func add<Made: FlowOperation>(
    _ operation: @autoclosure @escaping @Sendable () -> Made, flowCase: FlowCase? = nil
  ) -> Flow {
    add(Blueprint.Step(name: TypeName.of(Made.self), kind: .operation(.factory(operation))), flowCase)
  }

  /// Adds an operation that its type makes when the step is reached, anew for each run.
  ///
  /// - Parameters:
  ///   - type: The type that makes the operation.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func add(_ type: any FlowOperationCreator.Type, flowCase: FlowCase? = nil) -> Flow {
    add(Blueprint.Step(name: TypeName.of(type), kind: .operation(.factory { type.create() })), flowCase)
  }

  /// Adds a group: one step that runs an operation for each item that its dispatcher finds.
  ///
  /// - Parameters:
  ///   - operationCreator: Makes an operation for each item.
  ///   - dispatcher: Finds the items, says how many run at once, and collects the outputs.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func addGrouped(
    operationCreator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher, flowCase: FlowCase? = nil
  ) -> Flow {
    let group = Blueprint.GroupStep(creator: operationCreator, dispatcher: dispatcher)
    return add(Blueprint.Step(name: TypeName.of(operationCreator), kind: .group(group)), flowCase)
  }

  /// Lets the branches that were added by cases meet again: what is added from here on runs after any of them.
  ///
  /// - Returns: The flow.
  @discardableResult
  public func combine() -> Flow {
    state.withLock { $0.builder.combine() }
    return self
  }

  private func add(_ step: Blueprint.Step, _ flowCase: FlowCase?) -> Flow {
    state.withLock { $0.builder.add(step, condition: flowCase) }
    return self
  }
}
