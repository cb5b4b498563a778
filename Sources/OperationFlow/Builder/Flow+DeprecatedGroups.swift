// Functions without a label for `forEach`, as in `Flow+Deprecated.swift`.

extension Flow {
  /// Adds a group that runs a closure for each element of an array in the data bucket.
  ///
  /// - Parameters:
  ///   - input: The key of the array.
  ///   - output: The key under which the closure's results are written, in order.
  ///   - width: How many items run at once, at least 1.
  ///   - tolerance: How many items may fail without failing the group.
  ///   - flowCase: Starts a branch that is taken when the key equals the value.
  ///   - body: The work for one element.
  /// - Returns: The flow.
  @available(swift, deprecated: 7, message: "Write run: before the function: forEach(.photos, run: upload).")
  @_disfavoredOverload @discardableResult
  public func forEach<Item, Output: Sendable>(
    _ input: FlowKey<[Item]>, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, flowCase: FlowCase? = nil,
    _ body: @escaping @Sendable (Item, FlowContext) throws -> Output
  ) -> Flow {
    forEach(input, into: output, width: width, tolerating: tolerance, flowCase: flowCase, run: body)
  }

  /// Adds a group that runs an asynchronous closure for each element of an array in the data bucket.
  ///
  /// - Parameters:
  ///   - input: The key of the array.
  ///   - output: The key under which the closure's results are written, in order.
  ///   - width: How many items run at once, at least 1.
  ///   - tolerance: How many items may fail without failing the group.
  ///   - flowCase: Starts a branch that is taken when the key equals the value.
  ///   - body: The work for one element.
  /// - Returns: The flow.
  @available(swift, deprecated: 7, message: "Write run: before the function: forEach(.photos, run: upload).")
  @_disfavoredOverload @discardableResult
  public func forEach<Item, Output: Sendable>(
    _ input: FlowKey<[Item]>, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, flowCase: FlowCase? = nil,
    _ body: @escaping @Sendable (Item, FlowContext) async throws -> Output
  ) -> Flow {
    forEach(input, into: output, width: width, tolerating: tolerance, flowCase: flowCase, run: body)
  }

  /// Adds a group that runs a closure for each element of a sequence.
  ///
  /// - Parameters:
  ///   - items: Makes the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the closure's results are written, in order.
  ///   - width: How many items run at once, at least 1.
  ///   - tolerance: How many items may fail without failing the group.
  ///   - flowCase: Starts a branch that is taken when the key equals the value.
  ///   - body: The work for one element.
  /// - Returns: The flow.
  @available(swift, deprecated: 7, message: "Write run: before the function: forEach(.photos, run: upload).")
  @_disfavoredOverload @discardableResult
  public func forEach<Items: Sequence & SendableMetatype, Output: Sendable>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, flowCase: FlowCase? = nil,
    _ body: @escaping @Sendable (Items.Element, FlowContext) throws -> Output
  ) -> Flow where Items.Element: Sendable {
    forEach(in: items(), into: output, width: width, tolerating: tolerance, flowCase: flowCase, run: body)
  }

  /// Adds a group that runs an asynchronous closure for each element of a sequence.
  ///
  /// - Parameters:
  ///   - items: Makes the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the closure's results are written, in order.
  ///   - width: How many items run at once, at least 1.
  ///   - tolerance: How many items may fail without failing the group.
  ///   - flowCase: Starts a branch that is taken when the key equals the value.
  ///   - body: The work for one element.
  /// - Returns: The flow.
  @available(swift, deprecated: 7, message: "Write run: before the function: forEach(.photos, run: upload).")
  @_disfavoredOverload @discardableResult
  public func forEach<Items: Sequence & SendableMetatype, Output: Sendable>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, flowCase: FlowCase? = nil,
    _ body: @escaping @Sendable (Items.Element, FlowContext) async throws -> Output
  ) -> Flow where Items.Element: Sendable {
    forEach(in: items(), into: output, width: width, tolerating: tolerance, flowCase: flowCase, run: body)
  }

  /// Adds a group that runs a closure for each element of an asynchronous sequence.
  ///
  /// - Parameters:
  ///   - items: Makes the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the closure's results are written, in order.
  ///   - width: How many items run at once, at least 1.
  ///   - tolerance: How many items may fail without failing the group.
  ///   - flowCase: Starts a branch that is taken when the key equals the value.
  ///   - body: The work for one element.
  /// - Returns: The flow.
  @available(swift, deprecated: 7, message: "Write run: before the function: forEach(.photos, run: upload).")
  @_disfavoredOverload @discardableResult
  public func forEach<Items: AsyncSequence & SendableMetatype, Output: Sendable>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, flowCase: FlowCase? = nil,
    _ body: @escaping @Sendable (Items.Element, FlowContext) throws -> Output
  ) -> Flow where Items.Element: Sendable, Items.AsyncIterator: SendableMetatype {
    forEach(in: items(), into: output, width: width, tolerating: tolerance, flowCase: flowCase, run: body)
  }

  /// Adds a group that runs an asynchronous closure for each element of an asynchronous sequence.
  ///
  /// - Parameters:
  ///   - items: Makes the sequence for each run, when the run reaches the step.
  ///   - output: The key under which the closure's results are written, in order.
  ///   - width: How many items run at once, at least 1.
  ///   - tolerance: How many items may fail without failing the group.
  ///   - flowCase: Starts a branch that is taken when the key equals the value.
  ///   - body: The work for one element.
  /// - Returns: The flow.
  @available(swift, deprecated: 7, message: "Write run: before the function: forEach(.photos, run: upload).")
  @_disfavoredOverload @discardableResult
  public func forEach<Items: AsyncSequence & SendableMetatype, Output: Sendable>(
    in items: @autoclosure @escaping @Sendable () -> Items, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, flowCase: FlowCase? = nil,
    _ body: @escaping @Sendable (Items.Element, FlowContext) async throws -> Output
  ) -> Flow where Items.Element: Sendable, Items.AsyncIterator: SendableMetatype {
    forEach(in: items(), into: output, width: width, tolerating: tolerance, flowCase: flowCase, run: body)
  }
}
