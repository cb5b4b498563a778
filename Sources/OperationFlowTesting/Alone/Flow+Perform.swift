import OperationFlow

extension Flow {
  /// Performs one step of the flow alone, with its traits, and returns its result.
  ///
  /// ```swift
  /// let result = try await publishing().perform("greet", with: ["email": "a@b.c"])
  /// ```
  /// It sees none of the flow's data. An operation object that the flow holds can't run again.
  ///
  /// - Parameters:
  ///   - step: The step's name, or its path if several have the name.
  ///   - data: The values that it can read.
  ///   - clock: A clock whose time passes by itself; without one, the step runs in real time.
  /// - Returns: How it ended, and what it wrote, logged and reported.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`; not the error of the step.
  public func perform(
    _ step: String, with data: [String: any Sendable] = [:], on clock: ManualClock? = nil
  ) async throws -> StepResult {
    try await perform(step, on: clock) { $0.merge(data) }
  }

  /// Performs one step of the flow alone with typed data.
  ///
  /// It does what ``perform(_:with:on:)`` does.
  ///
  /// - Parameters:
  ///   - step: The step's name, or its path if several have the name.
  ///   - clock: A clock whose time passes by itself; without one, the step runs in real time.
  ///   - change: Sets the values that it can read.
  /// - Returns: How it ended, and what it wrote, logged and reported.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`; the error that `change` throws.
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
  /// What the item produces is the only element of what the group writes.
  ///
  /// - Parameters:
  ///   - group: The group's name, or its path if several steps have the name.
  ///   - item: The item, of the type that the group takes.
  ///   - data: The other values that it can read.
  ///   - clock: A clock whose time passes by itself; without one, the item runs in real time.
  /// - Returns: How the group ended, and what it wrote, logged and reported.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`; not the error of the item.
  public func perform<Item: Sendable>(
    _ group: String, item: Item, with data: [String: any Sendable] = [:], on clock: ManualClock? = nil
  ) async throws -> StepResult {
    let found = try step(group)
    let hidden = initialData.sensitiveNames
    // It is hidden wherever the group's own items are.
    let alone = alone(found.path) { input in
      let isSensitive = input.map { $0.isSensitive || hidden.contains($0.name) } ?? false
      return FlowGroupItems([item], name: input?.name ?? "item", sensitive: isSensitive)
    }
    guard let alone else { throw noGroup(found) }
    return await alone.performed(on: clock) { $0.merge(data) }
  }
}
