extension Flow {
  /// Adds a step that runs the progression in the data bucket to its result.
  ///
  /// It is a ``ProgressionOperation`` with a name.
  ///
  /// - Parameters:
  ///   - name: The name under which summaries show it.
  ///   - input: The key of the step to begin with.
  ///   - output: The key under which the result is written; `nil` where nobody wants it.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func progress<Step: Progression & Sendable>(
    _ name: String, from input: FlowKey<Step>, into output: FlowKey<Step.Result>? = nil, flowCase: FlowCase? = nil
  ) -> Flow where Step.Result: Sendable {
    add(name, flowCase) { ProgressionOperation(from: input, into: output) }
  }

  /// Adds a step that runs the progression that a closure makes of what is in the data bucket.
  ///
  /// - Parameters:
  ///   - name: The name under which summaries show it.
  ///   - output: The key under which the result is written; `nil` where nobody wants it.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  ///   - start: Makes the step to begin with, when the step is reached. It reads the bucket through the operation, such as
  ///     `{ Publication.draft(try $0.require(.text)) }`; what it reads can't be checked before the run.
  /// - Returns: The flow.
  @discardableResult
  public func progress<Step: Progression & Sendable>(
    _ name: String, into output: FlowKey<Step.Result>? = nil, flowCase: FlowCase? = nil,
    from start: @escaping @Sendable (ProgressionOperation<Step>) throws -> Step
  ) -> Flow where Step.Result: Sendable {
    add(name, flowCase) { ProgressionOperation(into: output, start: start) }
  }

  /// Adds a step that runs the progression in the data bucket to its result, and stores each of its steps.
  ///
  /// - Parameters:
  ///   - name: The name under which summaries show it.
  ///   - input: The key of the step to begin with, where none is stored.
  ///   - output: The key under which the result is written; `nil` where nobody wants it.
  ///   - store: Keeps the steps, as ``ProgressionOperation`` says.
  ///   - key: What it is stored as: a name for this one piece of work, which only one run at a time may use.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func progress<Step: Progression & Codable & Sendable>(
    _ name: String, from input: FlowKey<Step>, into output: FlowKey<Step.Result>? = nil,
    store: any ProgressionStore, as key: String, flowCase: FlowCase? = nil
  ) -> Flow where Step.Result: Sendable {
    add(name, flowCase) { ProgressionOperation(from: input, into: output, store: store, as: key) }
  }

  /// Adds a step that runs the progression that a closure makes, and stores each of its steps.
  ///
  /// - Parameters:
  ///   - name: The name under which summaries show it.
  ///   - output: The key under which the result is written; `nil` where nobody wants it.
  ///   - store: Keeps the steps, as ``ProgressionOperation`` says.
  ///   - key: What it is stored as: a name for this one piece of work, which only one run at a time may use.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  ///   - start: Makes the step to begin with, where none is stored.
  /// - Returns: The flow.
  @discardableResult
  public func progress<Step: Progression & Codable & Sendable>(
    _ name: String, into output: FlowKey<Step.Result>? = nil, store: any ProgressionStore, as key: String,
    flowCase: FlowCase? = nil, from start: @escaping @Sendable (ProgressionOperation<Step>) throws -> Step
  ) -> Flow where Step.Result: Sendable {
    add(name, flowCase) { ProgressionOperation(into: output, store: store, as: key, start: start) }
  }

  private func add<Step>(
    _ name: String, _ flowCase: FlowCase?, _ make: @escaping @Sendable () -> ProgressionOperation<Step>
  ) -> Flow {
    let source = OperationSource.factory(type: .of(ProgressionOperation<Step>.self)) {
      let operation = make()
      operation.name = name
      return operation
    }
    return add(Blueprint.Step(name: name, kind: .operation(source)), flowCase)
  }
}
