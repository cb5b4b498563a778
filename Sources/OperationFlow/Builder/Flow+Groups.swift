extension Flow {
  /// Adds a group: one step that runs an operation for each item that its dispatcher finds.
  ///
  /// - Parameters:
  ///   - operationCreator: The type that creates an operation for each item.
  ///   - dispatcher: An object that finds the items, sets the number that run at once, and collects the outputs.
  ///   - traits: The group's name and weight, and the keys that its items read and write besides item and output.
  ///   - flowCase: The condition of a branch that starts here; it is chosen when the key equals the value.
  /// - Returns: The flow.
  @discardableResult
  public func addGrouped(
    operationCreator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher,
    _ traits: StepTrait<FlowStep.Grouped<any Sendable>>..., flowCase: FlowCase? = nil
  ) -> Flow {
    addGroup(operationCreator: operationCreator, dispatcher: dispatcher, traits: traits, flowCase: flowCase)
  }

  // MARK: Arrays of the data bucket

  /// Adds a group that runs a closure for each element of an array in the data bucket.
  ///
  /// - Parameters:
  ///   - input: The key of the array.
  ///   - output: The key under which the closure's results are written, in input order.
  ///   - width: The number of items that run at once, at least 1.
  ///   - tolerance: The number or share of items that may fail without failing the group; the output omits them.
  ///   - traits: The group's name and weight, and the keys that its items read and write besides item and output.
  ///   - body: The work for one element, usually a trailing closure. Its context writes to the flow's bucket.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Item, Output: Sendable>(
    _ input: FlowKey<[Item]>, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<FlowStep.Grouped<Output>>...,
    run body: @escaping @Sendable (Item, FlowContext) throws -> Output
  ) -> Flow {
    add(traits, GroupItems(input), output, width, tolerance, .running(body))
  }

  /// Adds a group that runs an asynchronous closure for each element of an array in the data bucket.
  ///
  /// - Parameters:
  ///   - input: The key of the array.
  ///   - output: The key under which the closure's results are written, in input order.
  ///   - width: The number of items that run at once, at least 1.
  ///   - tolerance: The number or share of items that may fail without failing the group; the output omits them.
  ///   - traits: The group's name and weight, and the keys that its items read and write besides item and output.
  ///   - body: The work for one element, usually a trailing closure. Its context writes to the flow's bucket.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Item, Output: Sendable>(
    _ input: FlowKey<[Item]>, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<FlowStep.Grouped<Output>>...,
    run body: @escaping @Sendable (Item, FlowContext) async throws -> Output
  ) -> Flow {
    add(traits, GroupItems(input), output, width, tolerance, .running(body))
  }

  /// Adds a group that runs an operation for each element of an array in the data bucket.
  ///
  /// - Parameters:
  ///   - input: The key of the array; each operation gets its element under its primary input key.
  ///   - output: The key under which the operations' primary outputs are written, in input order.
  ///   - width: The number of items that run at once, at least 1.
  ///   - tolerance: The number or share of items that may fail without failing the group; the output omits them.
  ///   - operation: The type that creates the operations.
  ///   - traits: The group's name and weight, and the keys that its items read and write besides item and output.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Item, Output>(
    _ input: FlowKey<[Item]>, into output: FlowKey<[Output]>, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, run operation: any FlowOperationCreator.Type,
    _ traits: StepTrait<FlowStep.Grouped<Output>>...
  ) -> Flow {
    add(traits, GroupItems(input), output, width, tolerance, creator: operation, .making(operation))
  }

  func add<Item, Output>(
    _ traits: [StepTrait<FlowStep.Grouped<Output>>], _ items: GroupItems<Item>, _ output: FlowKey<[Output]>?,
    _ width: Int, _ tolerance: FlowTolerance, creator: (any FlowOperationCreator.Type)? = nil, _ body: GroupStep.Body
  ) -> Flow {
    let options = StepOptions.of(traits)
    let name = options?.name ?? items.input?.name ?? state.withLock { $0.builder.nameGroup() }
    return add(GroupStep(items, into: output, width, tolerance, named: name, creator: creator, body), options)
  }

  func add(_ group: GroupStep, _ options: StepOptions?, _ flowCase: FlowCase? = nil) -> Flow {
    var options = options
    if let declared = options?.declared {
      options?.declared = declared.adding(ofGroup: [group.input?.name, group.output?.name])
    }
    return add(group.name, .group(group), options, flowCase)
  }

  /// Adds a group that runs a closure for each element of a sequence, as there is room.
  ///
  /// - Parameters:
  ///   - items: An expression that creates the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the closure's results are written, in the order of the sequence.
  ///   - width: The number of items that run at once, at least 1; at most this many items are in memory.
  ///   - tolerance: The number or share of items that may fail without failing the group; the output omits them.
  ///   - traits: The group's name and weight, and the keys that its items read and write besides item and output.
  ///   - body: The work for one element, usually a trailing closure. Its context writes to the flow's bucket.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: Sequence & SendableMetatype, Output: Sendable>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<FlowStep.Grouped<Output>>...,
    run body: @escaping @Sendable (Items.Element, FlowContext) throws -> Output
  ) -> Flow where Items.Element: Sendable {
    add(traits, GroupItems(in: items), output, width, tolerance, .running(body))
  }

  /// Adds a group that runs an asynchronous closure for each element of a sequence, as there is room.
  ///
  /// - Parameters:
  ///   - items: An expression that creates the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the closure's results are written, in the order of the sequence.
  ///   - width: The number of items that run at once, at least 1; at most this many items are in memory.
  ///   - tolerance: The number or share of items that may fail without failing the group; the output omits them.
  ///   - traits: The group's name and weight, and the keys that its items read and write besides item and output.
  ///   - body: The work for one element, usually a trailing closure. Its context writes to the flow's bucket.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: Sequence & SendableMetatype, Output: Sendable>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<FlowStep.Grouped<Output>>...,
    run body: @escaping @Sendable (Items.Element, FlowContext) async throws -> Output
  ) -> Flow where Items.Element: Sendable {
    add(traits, GroupItems(in: items), output, width, tolerance, .running(body))
  }

  /// Adds a group that runs an operation for each element of a sequence, as there is room.
  ///
  /// - Parameters:
  ///   - items: An expression that creates the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the operations' primary outputs are written, in the order of the sequence.
  ///   - width: The number of items that run at once, at least 1; at most this many items are in memory.
  ///   - tolerance: The number or share of items that may fail without failing the group; the output omits them.
  ///   - operation: The type that creates the operations; each element is given under its primary input key.
  ///   - traits: The group's name and weight, and the keys that its items read and write besides item and output.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: Sequence & SendableMetatype, Output>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Output]>, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, run operation: any FlowOperationCreator.Type,
    _ traits: StepTrait<FlowStep.Grouped<Output>>...
  ) -> Flow where Items.Element: Sendable {
    add(traits, GroupItems(in: items), output, width, tolerance, creator: operation, .making(operation))
  }

  /// Adds a group that runs a closure for each element of an asynchronous sequence, as there is room.
  ///
  /// - Parameters:
  ///   - items: An expression that creates the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the closure's results are written, in the order of the sequence.
  ///   - width: The number of items that run at once, at least 1; at most this many items are in memory.
  ///   - tolerance: The number or share of items that may fail without failing the group; the output omits them.
  ///   - traits: The group's name and weight, and the keys that its items read and write besides item and output.
  ///   - body: The work for one element, usually a trailing closure. Its context writes to the flow's bucket.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: AsyncSequence & SendableMetatype, Output: Sendable>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<FlowStep.Grouped<Output>>...,
    run body: @escaping @Sendable (Items.Element, FlowContext) throws -> Output
  ) -> Flow where Items.Element: Sendable, Items.AsyncIterator: SendableMetatype {
    add(traits, GroupItems(in: items), output, width, tolerance, .running(body))
  }

  /// Adds a group that runs an asynchronous closure for each element of an asynchronous sequence, as there is room.
  ///
  /// - Parameters:
  ///   - items: An expression that creates the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the closure's results are written, in the order of the sequence.
  ///   - width: The number of items that run at once, at least 1; at most this many items are in memory.
  ///   - tolerance: The number or share of items that may fail without failing the group; the output omits them.
  ///   - traits: The group's name and weight, and the keys that its items read and write besides item and output.
  ///   - body: The work for one element, usually a trailing closure. Its context writes to the flow's bucket.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: AsyncSequence & SendableMetatype, Output: Sendable>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<FlowStep.Grouped<Output>>...,
    run body: @escaping @Sendable (Items.Element, FlowContext) async throws -> Output
  ) -> Flow where Items.Element: Sendable, Items.AsyncIterator: SendableMetatype {
    add(traits, GroupItems(in: items), output, width, tolerance, .running(body))
  }

  /// Adds a group that runs an operation for each element of an asynchronous sequence, as there is room.
  ///
  /// - Parameters:
  ///   - items: An expression that creates the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the operations' primary outputs are written, in the order of the sequence.
  ///   - width: The number of items that run at once, at least 1; at most this many items are in memory.
  ///   - tolerance: The number or share of items that may fail without failing the group; the output omits them.
  ///   - operation: The type that creates the operations; each element is given under its primary input key.
  ///   - traits: The group's name and weight, and the keys that its items read and write besides item and output.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: AsyncSequence & SendableMetatype, Output>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Output]>, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, run operation: any FlowOperationCreator.Type,
    _ traits: StepTrait<FlowStep.Grouped<Output>>...
  ) -> Flow where Items.Element: Sendable, Items.AsyncIterator: SendableMetatype {
    add(traits, GroupItems(in: items), output, width, tolerance, creator: operation, .making(operation))
  }
}
