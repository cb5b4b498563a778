import Foundation

extension Flow {
  // MARK: Operations

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
  /// Where its class declares a ``FlowInput`` or a ``FlowOutput``, one more is made when the flow is checked.
  ///
  /// - Parameters:
  ///   - operation: Makes the operation, such as `LoginOp()`.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func add<Made: FlowOperation>(
    _ operation: @autoclosure @escaping @Sendable () -> Made, flowCase: FlowCase? = nil
  ) -> Flow {
    add(OperationType.of(Made.self), operation, flowCase)
  }

  /// Adds an operation that its type makes when the step is reached, anew for each run.
  ///
  /// - Parameters:
  ///   - type: The type that makes the operation.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func add(_ type: any FlowOperationCreator.Type, flowCase: FlowCase? = nil) -> Flow {
    add(OperationType.of(type), { type.create() }, flowCase)
  }

  // MARK: Closures

  /// Adds a step that is a closure: return to finish, throw to fail.
  ///
  /// - Parameters:
  ///   - name: The name under which summaries show it.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  ///   - body: The work. It runs in a thread of the flow's queue.
  /// - Returns: The flow.
  @discardableResult
  public func add(
    _ name: String, flowCase: FlowCase? = nil, _ body: @escaping @Sendable (FlowContext) throws -> Void
  ) -> Flow {
    add(Blueprint.Step(name: name, kind: .closure(.sync(body))), flowCase)
  }

  /// Adds a step that is an asynchronous closure: return to finish, throw to fail.
  ///
  /// - Parameters:
  ///   - name: The name under which summaries show it.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  ///   - body: The work. It runs in a task of its own, which is cancelled when the flow is.
  /// - Returns: The flow.
  @discardableResult
  public func add(
    _ name: String, flowCase: FlowCase? = nil, _ body: @escaping @Sendable (FlowContext) async throws -> Void
  ) -> Flow {
    add(Blueprint.Step(name: name, kind: .closure(.async(body))), flowCase)
  }

  // MARK: Progress

  /// Sets how much the last step that was added counts in the run's progress; 1 where nothing is said.
  ///
  /// - Parameter weight: The weight, among those of the steps beside it; from 0 to 1,000,000: what lies outside is taken as
  ///   the nearer end.
  /// - Returns: The flow.
  @discardableResult
  public func progressWeight(_ weight: Int) -> Flow {
    state.withLock { $0.builder.setWeightOfLastStep(weight) }
    return self
  }

  private func add(
    _ type: OperationType, _ make: @escaping @Sendable () -> FlowOperation, _ flowCase: FlowCase?
  ) -> Flow {
    add(Blueprint.Step(name: type.name, kind: .operation(.factory(type: type, make))), flowCase)
  }

  func add(_ step: Blueprint.Step, _ flowCase: FlowCase?) -> Flow {
    state.withLock { $0.builder.add(step, condition: flowCase) }
    return self
  }
}
