import OperationFlow

extension Flow {
  /// Performs one step of the flow alone, with its traits, and returns its result.
  ///
  /// ```swift
  /// let result = try await publishing().perform("greet", with: ["email": "a@b.c"])
  /// ```
  /// The step sees none of the flow's data. An operation object of the flow can't run again.
  ///
  /// - Parameters:
  ///   - step: The step's name, or its path if several have the name.
  ///   - data: The values that the step can read.
  ///   - clock: A clock whose time passes by itself; without one, the step runs in real time.
  /// - Returns: The outcome of the step, and the values, lines and progress that it wrote, logged and reported.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`; not the error of the step.
  public func perform(
    _ step: String, with data: [String: any Sendable] = [:], on clock: ManualClock? = nil
  ) async throws -> StepResult {
    try await perform(step, on: clock) { $0.merge(data) }
  }

  /// Performs one step of the flow alone with typed data.
  ///
  /// It behaves like ``perform(_:with:on:)``.
  ///
  /// - Parameters:
  ///   - step: The step's name, or its path if several have the name.
  ///   - clock: A clock whose time passes by itself; without one, the step runs in real time.
  ///   - change: A function that sets the values for the step.
  /// - Returns: The outcome of the step, and the values, lines and progress that it wrote, logged and reported.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`; the error that `change`
  ///   throws.
  public func perform(
    _ step: String, on clock: ManualClock? = nil, with change: (inout FlowData) throws -> Void
  ) async throws -> StepResult {
    let found = try self.step(step)
    guard let alone = alone(found.path) else { throw noGroup(found) }
    return try await alone.performed(on: clock, change)
  }

  /// Performs the work of a group for one item.
  ///
  /// ```swift
  /// let result = try await publishing().perform("photos", item: photo)
  /// ```
  /// The output of the item is the only element of the group's output.
  ///
  /// - Parameters:
  ///   - group: The group's name, or its path if several steps have the name.
  ///   - item: The item, of the type of the group's items.
  ///   - data: The other values that the work can read.
  ///   - clock: A clock whose time passes by itself; without one, the item runs in real time.
  /// - Returns: The outcome of the group, and the values, lines and progress that it wrote, logged and reported.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`; not the error of the item.
  public func perform<Item: Sendable>(
    _ group: String, item: Item, with data: [String: any Sendable] = [:], on clock: ManualClock? = nil
  ) async throws -> StepResult {
    let found = try step(group)
    let hidden = initialData.sensitiveNames
    // The item is sensitive if the group's own items are.
    let alone = alone(found.path) { input in
      let isSensitive = input.map { $0.isSensitive || hidden.contains($0.name) } ?? false
      return FlowGroupItems([item], name: input?.name ?? "item", sensitive: isSensitive)
    }
    guard let alone else { throw noGroup(found) }
    return await alone.performed(on: clock) { $0.merge(data) }
  }
}
