extension StepTrait {
  /// Writes the result of each item under a key, at the item's index, even if the group fails or is cancelled.
  ///
  /// The array is written when the group has completed, before its outputs, and otherwise at the end of the run. It has a
  /// result for each item; for a sequence, for each item that was taken from it.
  ///
  /// - Parameter key: The key of the array.
  /// - Returns: The trait.
  public static func results<Output>(in key: FlowKey<[FlowItemResult<Output>]>) -> Self
  where Work == FlowStep.Grouped<Output> {
    Self { options in
      options.give(".results(in:)")
      options.results[default: ResultPlan()].kept = KeptResults(key)
    }
  }

  /// Calls a closure with the result of each item as it comes, so that no results have to be collected.
  ///
  /// It is called once for each item, one call at a time; until it has returned, the item keeps its place in the group's
  /// width. If it throws, the group fails. What has ended before a run fails or is cancelled is still handed on.
  ///
  /// - Parameters:
  ///   - order: Whether the results come as the items end, or in the order of the items.
  ///   - body: What is done with a result; it gets the item's index and a context. It is called on any thread.
  /// - Returns: The trait.
  public static func onEachResult<Output>(
    in order: FlowResultOrder = .completion,
    _ body:
      @escaping @Sendable (_ result: FlowItemResult<Output>, _ index: Int, _ context: FlowContext) async throws -> Void
  ) -> Self where Work == FlowStep.Grouped<Output> {
    Self { options in
      options.results[default: ResultPlan()].add(order) { try await body($0.checked(), $1, $2) }
    }
  }
}

extension StepTrait where Work: FlowStep.UngroupedWork {
  /// Results of the items of a step that has none.
  @available(*, unavailable, message: "Only groups have results of items: give .results(in:) to forEach or addGrouped.")
  public static func results<Output>(in key: FlowKey<[FlowItemResult<Output>]>) -> Self { Self { _ in } }

  /// Results of the items of a step that has none.
  @available(*, unavailable, message: "Only groups have results of items: give .onEachResult to forEach or addGrouped.")
  public static func onEachResult<Output>(
    in order: FlowResultOrder = .completion,
    _ body:
      @escaping @Sendable (_ result: FlowItemResult<Output>, _ index: Int, _ context: FlowContext) async throws -> Void
  ) -> Self { Self { _ in } }
}
