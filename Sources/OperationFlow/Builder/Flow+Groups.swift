extension Flow {
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
    add(GroupStep(creator: operationCreator, dispatcher: dispatcher), flowCase)
  }

  // MARK: Arrays of the data bucket

  /// Adds a group that runs a closure for each element of an array in the data bucket.
  ///
  /// - Parameters:
  ///   - input: The key of the array.
  ///   - output: The key under which what the closure returns is written, in input order.
  ///   - width: How many run at once, at least 1.
  ///   - tolerance: How many may fail before the group does; those that do are left out of the output.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  ///   - body: The work for one element. What it writes through its context goes to the flow's bucket.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Item, Output: Sendable>(
    _ input: FlowKey<[Item]>, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, flowCase: FlowCase? = nil,
    _ body: @escaping @Sendable (Item, FlowContext) throws -> Output
  ) -> Flow {
    add(TypedGroup(input, output, width, tolerance).running(body), flowCase)
  }

  /// Adds a group that runs an asynchronous closure for each element of an array in the data bucket.
  ///
  /// - Parameters:
  ///   - input: The key of the array.
  ///   - output: The key under which what the closure returns is written, in input order.
  ///   - width: How many run at once, at least 1.
  ///   - tolerance: How many may fail before the group does; those that do are left out of the output.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  ///   - body: The work for one element. What it writes through its context goes to the flow's bucket.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Item, Output: Sendable>(
    _ input: FlowKey<[Item]>, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, flowCase: FlowCase? = nil,
    _ body: @escaping @Sendable (Item, FlowContext) async throws -> Output
  ) -> Flow {
    add(TypedGroup(input, output, width, tolerance).running(body), flowCase)
  }

  /// Adds a group that runs an operation for each element of an array in the data bucket.
  ///
  /// - Parameters:
  ///   - input: The key of the array; each element is given under the operation's primary input key.
  ///   - output: The key under which the operations' primary outputs are written, in input order.
  ///   - width: How many run at once, at least 1.
  ///   - tolerance: How many may fail before the group does; those that do are left out of the output.
  ///   - operation: The type that makes the operations.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Item, Output>(
    _ input: FlowKey<[Item]>, into output: FlowKey<[Output]>, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, run operation: any FlowOperationCreator.Type,
    flowCase: FlowCase? = nil
  ) -> Flow {
    add(TypedGroup(input, output, width, tolerance).running(operation), flowCase)
  }

  func add(_ group: GroupStep, _ flowCase: FlowCase?) -> Flow {
    add(Blueprint.Step(name: group.name, kind: .group(group)), flowCase)
  }
}
