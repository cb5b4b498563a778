import OperationFlow

extension Flow {
  /// Adds a group that runs each progression of an array in the data bucket to its result.
  ///
  /// The steps that an item reaches are events of that item.
  ///
  /// - Parameters:
  ///   - input: The key of the array.
  ///   - output: The key under which the results are written, in input order.
  ///   - width: The maximum number of items that run at once, at least 1.
  ///   - tolerance: The number of items that may fail without failing the group; the output has no results of failed
  ///     items.
  ///   - traits: The group's name and its weight in the progress.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Step: Progression & Sendable>(
    _ input: FlowKey<[Step]>, into output: FlowKey<[Step.Result]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<FlowStep.Grouped<Step.Result>>...
  ) -> Flow where Step.Result: Sendable {
    forEach(
      input, into: output, width: width, tolerating: tolerance, .joined(.writesNothing, with: traits)
    ) { try await $1.run($0) }
  }

  /// Adds a group that runs each progression of an array in the data bucket to its result, and stores their steps.
  ///
  /// - Parameters:
  ///   - input: The key of the array.
  ///   - output: The key under which the results are written, in input order.
  ///   - width: The maximum number of items that run at once, at least 1.
  ///   - tolerance: The number of items that may fail without failing the group; the output has no results of failed
  ///     items.
  ///   - store: The store of each item's steps, as ``ProgressionOperation`` describes. An item that has its result is
  ///     cleared, and runs again with the group.
  ///   - key: A closure that returns the key under which an item is stored; no two items may have the same.
  ///   - traits: The group's name and its weight in the progress.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Step: Progression & Codable & Sendable>(
    _ input: FlowKey<[Step]>, into output: FlowKey<[Step.Result]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, store: any ProgressionStore,
    as key: @escaping @Sendable (Step) -> String, _ traits: StepTrait<FlowStep.Grouped<Step.Result>>...
  ) -> Flow where Step.Result: Sendable {
    forEach(
      input, into: output, width: width, tolerating: tolerance, .joined(.writesNothing, with: traits)
    ) { step, context in try await context.run(step, storedBy: StoredSteps(store, key: key(step))) }
  }

  /// Adds a group that runs each progression of a sequence to its result, while there is room.
  ///
  /// - Parameters:
  ///   - items: The sequence, which is created for each run when the run reaches the step.
  ///   - output: The key under which the results are written, in the order of the sequence.
  ///   - width: The maximum number of items that run at once, and are in memory, at least 1.
  ///   - tolerance: The number of items that may fail without failing the group; the output has no results of failed
  ///     items.
  ///   - traits: The group's name and its weight in the progress.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: Sequence & SendableMetatype>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Items.Element.Result]>? = nil,
    width: Int = 3, tolerating tolerance: FlowTolerance = .none,
    _ traits: StepTrait<FlowStep.Grouped<Items.Element.Result>>...
  ) -> Flow where Items.Element: Progression & Sendable, Items.Element.Result: Sendable {
    forEach(
      in: items(), into: output, width: width, tolerating: tolerance, .joined(.writesNothing, with: traits)
    ) { try await $1.run($0) }
  }

  /// Adds a group that runs each progression of an asynchronous sequence to its result, while there is room.
  ///
  /// - Parameters:
  ///   - items: The sequence, which is created for each run when the run reaches the step.
  ///   - output: The key under which the results are written, in the order of the sequence.
  ///   - width: The maximum number of items that run at once, and are in memory, at least 1.
  ///   - tolerance: The number of items that may fail without failing the group; the output has no results of failed
  ///     items.
  ///   - traits: The group's name and its weight in the progress.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: AsyncSequence & SendableMetatype>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Items.Element.Result]>? = nil,
    width: Int = 3, tolerating tolerance: FlowTolerance = .none,
    _ traits: StepTrait<FlowStep.Grouped<Items.Element.Result>>...
  ) -> Flow
  where
    Items.Element: Progression & Sendable, Items.Element.Result: Sendable, Items.AsyncIterator: SendableMetatype
  {
    forEach(
      in: items(), into: output, width: width, tolerating: tolerance, .joined(.writesNothing, with: traits)
    ) { try await $1.run($0) }
  }
}

extension FlowContext {
  /// Runs a group's item to its result.
  fileprivate func run<Step: Progression & Sendable>(
    _ step: Step, storedBy stored: StoredSteps<Step>? = nil
  ) async throws -> Step.Result where Step.Result: Sendable {
    try await ProgressionRunner(stored: stored, record: { self.record($0) }).run(from: { step })
  }
}
