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

  /// Adds a group that runs each progression of an asynchronous sequence to its result, taken as there is room.
  ///
  /// - Parameters:
  ///   - items: Makes the sequence when the step is reached, anew for each run.
  ///   - output: The key under which the results are written, in the order of the sequence.
  ///   - width: How many run at once, at least 1; so many items are held at a time.
  ///   - tolerance: How many may fail before the group does; those that do are left out of the output.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func forEach<Items: AsyncSequence & SendableMetatype>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Items.Element.Result]>? = nil,
    width: Int = 3, tolerating tolerance: FlowTolerance = .none, flowCase: FlowCase? = nil
  ) -> Flow
  where
    Items.Element: Progression & Sendable, Items.Element.Result: Sendable, Items.AsyncIterator: SendableMetatype
  {
    let group = TypedGroup<Items.Element, Items.Element.Result>(output, width, tolerance) {
      AsyncSequenceItems(items())
    }
    return add(group.runningProgressions(), flowCase)
  }
}
