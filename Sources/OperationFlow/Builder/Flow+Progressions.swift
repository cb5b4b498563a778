extension Flow {
  // MARK: One progression

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

  // MARK: Many progressions

  /// Adds a group that runs each progression of an array in the data bucket to its result.
  ///
  /// The steps that an item reaches are events of that item.
  ///
  /// - Parameters:
  ///   - input: The key of the array.
  ///   - output: The key under which the results are written, in input order.
  ///   - width: How many run at once, at least 1.
  ///   - tolerance: How many may fail before the group does; those that do are left out of the output.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Step: Progression & Sendable>(
    _ input: FlowKey<[Step]>, into output: FlowKey<[Step.Result]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, flowCase: FlowCase? = nil
  ) -> Flow where Step.Result: Sendable {
    add(TypedGroup(input, output, width, tolerance).runningProgressions(), flowCase)
  }

  /// Adds a group that runs each progression of an array in the data bucket to its result, and stores their steps.
  ///
  /// - Parameters:
  ///   - input: The key of the array.
  ///   - output: The key under which the results are written, in input order.
  ///   - width: How many run at once, at least 1.
  ///   - tolerance: How many may fail before the group does; those that do are left out of the output.
  ///   - store: Keeps the steps of each item, as ``ProgressionOperation`` says: an item that has its result is cleared, and
  ///     is run again with the group.
  ///   - key: What an item is stored as; no two items may have the same.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Step: Progression & Codable & Sendable>(
    _ input: FlowKey<[Step]>, into output: FlowKey<[Step.Result]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, store: any ProgressionStore,
    as key: @escaping @Sendable (Step) -> String, flowCase: FlowCase? = nil
  ) -> Flow where Step.Result: Sendable {
    let group = TypedGroup(input, output, width, tolerance)
    return add(group.runningProgressions { StoredSteps(store, key: key($0)) }, flowCase)
  }

  /// Adds a group that runs each progression of a sequence to its result, taken as there is room.
  ///
  /// - Parameters:
  ///   - items: Makes the sequence when the step is reached, anew for each run.
  ///   - output: The key under which the results are written, in the order of the sequence.
  ///   - width: How many run at once, at least 1; so many items are held at a time.
  ///   - tolerance: How many may fail before the group does; those that do are left out of the output.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: Sequence & SendableMetatype>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Items.Element.Result]>? = nil,
    width: Int = 3, tolerating tolerance: FlowTolerance = .none, flowCase: FlowCase? = nil
  ) -> Flow where Items.Element: Progression & Sendable, Items.Element.Result: Sendable {
    let group = TypedGroup<Items.Element, Items.Element.Result>(output, width, tolerance) { SequenceItems(items()) }
    return add(group.runningProgressions(), flowCase)
  }
}
