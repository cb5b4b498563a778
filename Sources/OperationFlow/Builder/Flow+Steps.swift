extension Flow {
  /// Adds an operation object, which can run only once, so that you can start the flow only once.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - traits: Its name, its weight in the progress, and the keys that it reads and writes besides those it declares.
  ///   - flowCase: The condition of a branch that starts here; it is chosen when the key equals the value.
  /// - Returns: The flow.
  @discardableResult
  public func add(operation: FlowOperation, _ traits: StepTrait<FlowStep.Once>..., flowCase: FlowCase? = nil) -> Flow {
    addStep(operation, traits: traits, flowCase: flowCase)
  }

  /// Adds an operation that is created for each attempt, when the run reaches the step.
  ///
  /// One more operation may be created to find out what it declares, when ``validate(with:)`` checks the flow or the
  /// flow starts. Create the operation inside the call: an object in a variable runs only once.
  ///
  /// - Parameters:
  ///   - operation: An expression that creates the operation, such as `LoginOp()`.
  ///   - traits: Its name, its weight in the progress, and the keys that it reads and writes besides those it declares.
  /// - Returns: The flow.
  @discardableResult
  public func add<Made: FlowOperation>(
    _ operation: @autoclosure @escaping @Sendable () -> Made, _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow {
    add(.of(Made.self), operation, StepOptions.of(traits))
  }

  /// Adds a step that is a closure: return to finish, throw to fail.
  ///
  /// If the closure declares no keys, validation assumes that it may write anything; if it declares only what it reads,
  /// nothing.
  ///
  /// - Parameters:
  ///   - name: The name that summaries show.
  ///   - traits: Its weight in the progress, and the keys that it reads and writes.
  ///   - body: The work, usually a trailing closure. It runs on a thread that it may block.
  /// - Returns: The flow.
  @discardableResult
  public func add(
    _ name: String, _ traits: StepTrait<FlowStep.Repeatable>...,
    run body: @escaping @Sendable (FlowContext) throws -> Void
  ) -> Flow {
    add(name, .closure(.sync(body)), StepOptions.of(traits))
  }

  /// Adds a step that is an asynchronous closure: return to finish, throw to fail.
  ///
  /// If the closure declares no keys, validation assumes that it may write anything; if it declares only what it reads,
  /// nothing.
  ///
  /// - Parameters:
  ///   - name: The name that summaries show.
  ///   - traits: Its weight in the progress, and the keys that it reads and writes.
  ///   - body: The work, usually a trailing closure. It runs in a task, which is cancelled when the flow is.
  /// - Returns: The flow.
  @discardableResult
  public func add(
    _ name: String, _ traits: StepTrait<FlowStep.Repeatable>...,
    run body: @escaping @Sendable (FlowContext) async throws -> Void
  ) -> Flow {
    add(name, .closure(.async(body)), StepOptions.of(traits))
  }

  /// Adds an operation that is made when the run reaches the step, with the name from the options if they have one.
  package func add(
    _ type: OperationType, _ make: @escaping @Sendable () -> FlowOperation, _ options: StepOptions?
  ) -> Flow {
    guard let name = options?.name else { return add(type.name, .operation(.factory(type: type, make)), options) }
    let source = OperationSource.factory(type: type) {
      let operation = make()
      operation.name = name
      return operation
    }
    return add(name, .operation(source), options)
  }

  /// Adds a step under the name from the options, or under its own if they have none.
  func add(_ name: String, _ kind: Blueprint.Step.Kind, _ options: StepOptions?, _ flowCase: FlowCase? = nil) -> Flow {
    var step = Blueprint.Step(name: options?.name ?? name, kind: kind, options: options)
    if let declared = options?.declared, kind.isClosure { step.changeOptions { $0.declared = declared.ofClosure } }
    state.withLock { $0.builder.add(step, condition: flowCase) }
    return self
  }
}
