import OperationFlow

// Each function returns a copy, and leaves the flow as it is. A copy has the flow's data, blocks and options. An
// operation object of the flow is the same object in the copy, and runs once.

extension Flow {
  /// Returns a copy of the flow in which a closure replaces a step, and everything within that step.
  ///
  /// ```swift
  /// let flow = try publishing().replacing("LoginOp") { context in context[.token] = "123" }
  /// ```
  /// - Parameters:
  ///   - step: The step's name, or its path if several have the name.
  ///   - body: The new work of the step, whose name and traits stay the same.
  /// - Returns: The copy.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`.
  public func replacing(
    _ step: String, with body: @escaping @Sendable (FlowContext) throws -> Void
  ) throws -> Flow {
    replacing(step: try self.step(step).path, now: body)
  }

  /// Returns a copy of the flow in which an asynchronous closure replaces a step.
  ///
  /// - Parameters:
  ///   - step: The step's name, or its path if several have the name.
  ///   - body: The new work of the step, whose name and traits stay the same.
  /// - Returns: The copy.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`.
  public func replacing(
    _ step: String, with body: @escaping @Sendable (FlowContext) async throws -> Void
  ) throws -> Flow {
    replacing(step: try self.step(step).path, body)
  }

  /// Returns a copy of the flow in which a closure does the work for each item of a group.
  ///
  /// ```swift
  /// let flow = try publishing().replacingItems(of: "photos") { (photo: String, _) in "https://" + photo }
  /// ```
  /// - Parameters:
  ///   - group: The group's name, or its path if several steps have the name.
  ///   - body: The work for an item, which returns the item's output, of the type that the group collects.
  /// - Returns: The copy.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`.
  public func replacingItems<Item, Output: Sendable>(
    of group: String, with body: @escaping @Sendable (Item, FlowContext) throws -> Output
  ) throws -> Flow {
    let step = try self.step(group)
    guard let copy = replacingItems(of: step.path, now: { try body(typed($0), $1) }) else { throw noGroup(step) }
    return copy
  }

  /// Returns a copy of the flow in which an asynchronous closure does the work for each item of a group.
  ///
  /// - Parameters:
  ///   - group: The group's name, or its path if several steps have the name.
  ///   - body: The work for an item, which returns the item's output, of the type that the group collects.
  /// - Returns: The copy.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`.
  public func replacingItems<Item, Output: Sendable>(
    of group: String, with body: @escaping @Sendable (Item, FlowContext) async throws -> Output
  ) throws -> Flow {
    let step = try self.step(group)
    guard let copy = replacingItems(of: step.path, { try await body(typed($0), $1) }) else { throw noGroup(step) }
    return copy
  }

  /// Returns a copy of the flow without the steps before one, whose path stays the same.
  ///
  /// Give the run the data that the earlier steps would have written. If the step is in a branch, that data also has to
  /// lead to the branch. Steps that always run count as the last ones of those beside them.
  ///
  /// - Parameter step: The step's name, or its path if several have the name.
  /// - Returns: The copy.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`.
  public func starting(at step: String) throws -> Flow {
    leavingOut(before: true, try self.step(step).path)
  }

  /// Returns a copy of the flow that ends after a step.
  ///
  /// Steps that always run still run at the end. If the step is one of them, the ones after it are left out.
  ///
  /// - Parameter step: The step's name, or its path if several have the name.
  /// - Returns: The copy.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` or `ambiguousStep`.
  public func stopping(after step: String) throws -> Flow {
    leavingOut(before: false, try self.step(step).path)
  }
}

/// Returns the item with the type that a stand-in expects.
private func typed<Item>(_ item: any Sendable) throws(FlowError) -> Item {
  guard let typed = item as? Item else {
    throw FlowError(
      .mismatchedData, "the stand-in takes items of the type <\(Item.self)>, but this one is a <\(type(of: item))>",
      remedy: "Give the closure that replaces the group's work a parameter of the items' type.")
  }
  return typed
}
