// Functions from before there were traits, each with the message that says how to write the call now. Most of them do
// no harm, and compile without a warning until Swift 7: a function without a label just can't follow traits. They are
// disfavored, so a trailing closure never means one of these.

extension Flow {
  /// Sets how much the last step that was added counts in the run's progress.
  ///
  /// - Parameter weight: The weight, from 0 to 1,000,000; values outside are clamped to this range.
  /// - Returns: The flow.
  @available(*, deprecated, message: "Give the step a trait where you add it: add(LoginOp(), .weight(3)).")
  @discardableResult
  public func progressWeight(_ weight: Int) -> Flow {
    state.withLock { $0.builder.setWeightOfLastStep(weight) }
    return self
  }

  /// Adds an operation that its type makes for each run, when the run reaches the step.
  ///
  /// - Parameters:
  ///   - type: The type that makes the operation.
  ///   - flowCase: Starts a branch that is taken when the key equals the value.
  /// - Returns: The flow.
  @available(swift, deprecated: 7, message: "Write the expression that makes the operation: add(LoginOp()).")
  @discardableResult
  public func add(_ type: any FlowOperationCreator.Type, flowCase: FlowCase? = nil) -> Flow {
    add(OperationType.of(type), { type.create() }, StepOptions(), flowCase)
  }

  /// Adds a step that is a closure.
  ///
  /// - Parameters:
  ///   - name: The name that summaries show.
  ///   - flowCase: Starts a branch that is taken when the key equals the value.
  ///   - body: The work. It runs on a thread of the flow's queue.
  /// - Returns: The flow.
  @available(swift, deprecated: 7, message: "Write run: before the function: add(\"greet\", run: greet).")
  @_disfavoredOverload @discardableResult
  public func add(
    _ name: String, flowCase: FlowCase? = nil, _ body: @escaping @Sendable (FlowContext) throws -> Void
  ) -> Flow {
    add(name, flowCase: flowCase, run: body)
  }

  /// Adds a step that is an asynchronous closure.
  ///
  /// - Parameters:
  ///   - name: The name that summaries show.
  ///   - flowCase: Starts a branch that is taken when the key equals the value.
  ///   - body: The work. It runs in a task, which is cancelled when the flow is.
  /// - Returns: The flow.
  @available(swift, deprecated: 7, message: "Write run: before the function: add(\"greet\", run: greet).")
  @_disfavoredOverload @discardableResult
  public func add(
    _ name: String, flowCase: FlowCase? = nil, _ body: @escaping @Sendable (FlowContext) async throws -> Void
  ) -> Flow {
    add(name, flowCase: flowCase, run: body)
  }

  /// Adds branches of which the run takes one, depending on a key's value; the flow continues after them.
  ///
  /// - Parameters:
  ///   - key: The key to look at.
  ///   - build: Adds the branches.
  /// - Returns: The flow.
  @available(swift, deprecated: 7, message: "Write branches: before the function: cases(on: .target, branches: add).")
  @_disfavoredOverload @discardableResult
  public func cases(on key: FlowKey<String>, _ build: (FlowCases<String>) -> Void) -> Flow {
    cases(on: key, branches: build)
  }
}
