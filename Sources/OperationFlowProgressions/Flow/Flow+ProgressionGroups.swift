import OperationFlow

extension Flow {
  /// Adds a group that runs each progression of an array in the data bucket to its result.
  ///
  /// The steps that an item reaches are events of that item.
  ///
  /// - Parameters:
  ///   - input: The key of the array.
  ///   - output: The key under which the results are written, in input order.
  ///   - width: How many run at once, at least 1.
  ///   - tolerance: How many may fail before the group does; those that do are left out of the output.
  ///   - traits: The group's name and its weight in the progress.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Step: Progression & Sendable>(
    _ input: FlowKey<[Step]>, into output: FlowKey<[Step.Result]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<Repeatable>..., flowCase: FlowCase? = nil
  ) -> Flow where Step.Result: Sendable {
    forEach(
      input, into: output, width: width, tolerating: tolerance, .joined(.writesNothing, with: traits),
      flowCase: flowCase
    ) { try await $1.run($0) }
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
  ///   - traits: The group's name and its weight in the progress.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Step: Progression & Codable & Sendable>(
    _ input: FlowKey<[Step]>, into output: FlowKey<[Step.Result]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, store: any ProgressionStore,
    as key: @escaping @Sendable (Step) -> String, _ traits: StepTrait<Repeatable>..., flowCase: FlowCase? = nil
  ) -> Flow where Step.Result: Sendable {
    forEach(
      input, into: output, width: width, tolerating: tolerance, .joined(.writesNothing, with: traits),
      flowCase: flowCase
    ) { step, context in try await context.run(step, storedBy: StoredSteps(store, key: key(step))) }
  }

  /// Adds a group that runs each progression of a sequence to its result, taken as there is room.
  ///
  /// - Parameters:
  ///   - items: Makes the sequence when the step is reached, anew for each run.
  ///   - output: The key under which the results are written, in the order of the sequence.
  ///   - width: How many run at once, at least 1; at most this many items are held at a time.
  ///   - tolerance: How many may fail before the group does; those that do are left out of the output.
  ///   - traits: The group's name and its weight in the progress.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: Sequence & SendableMetatype>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Items.Element.Result]>? = nil,
    width: Int = 3, tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<Repeatable>...,
    flowCase: FlowCase? = nil
  ) -> Flow where Items.Element: Progression & Sendable, Items.Element.Result: Sendable {
    forEach(
      in: items(), into: output, width: width, tolerating: tolerance, .joined(.writesNothing, with: traits),
      flowCase: flowCase
    ) { try await $1.run($0) }
  }

  /// Adds a group that runs each progression of an asynchronous sequence to its result, taken as there is room.
  ///
  /// - Parameters:
  ///   - items: Makes the sequence when the step is reached, anew for each run.
  ///   - output: The key under which the results are written, in the order of the sequence.
  ///   - width: How many run at once, at least 1; at most this many items are held at a time.
  ///   - tolerance: How many may fail before the group does; those that do are left out of the output.
  ///   - traits: The group's name and its weight in the progress.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: AsyncSequence & SendableMetatype>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Items.Element.Result]>? = nil,
    width: Int = 3, tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<Repeatable>...,
    flowCase: FlowCase? = nil
  ) -> Flow
  where
    Items.Element: Progression & Sendable, Items.Element.Result: Sendable, Items.AsyncIterator: SendableMetatype
  {
    forEach(
      in: items(), into: output, width: width, tolerating: tolerance, .joined(.writesNothing, with: traits),
      flowCase: flowCase
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
