extension Flow {
  /// Adds a group that runs a closure for each element of an asynchronous sequence, as there is room.
  ///
  /// - Parameters:
  ///   - items: Makes the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the closure's results are written, in the order of the sequence.
  ///   - width: How many items run at once, at least 1; holds at most this many items in memory.
  ///   - tolerance: How many items may fail without failing the group; they are left out of the output.
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
  ///   - items: Makes the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the closure's results are written, in the order of the sequence.
  ///   - width: How many items run at once, at least 1; holds at most this many items in memory.
  ///   - tolerance: How many items may fail without failing the group; they are left out of the output.
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
  ///   - items: Makes the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the operations' primary outputs are written, in the order of the sequence.
  ///   - width: How many items run at once, at least 1; holds at most this many items in memory.
  ///   - tolerance: How many items may fail without failing the group; they are left out of the output.
  ///   - operation: The type that makes the operations; each element is given under its primary input key.
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
