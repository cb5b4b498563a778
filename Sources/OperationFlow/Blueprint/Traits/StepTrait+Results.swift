extension StepTrait {
  /// Writes the result of each item under a key, at the item's index, even if the group fails or is cancelled.
  ///
  /// The array is written when the group has completed, before its outputs, and otherwise at the end of the run. It has
  /// a result for each item; for a sequence, for each item that was read from it.
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

  /// Calls a closure with the result of each item while the group runs, so that no results have to be collected.
  ///
  /// The closure is called once for each item, one call at a time. Until it returns, the item counts in the group's
  /// width. If the closure throws, the group fails. The results of items that ended before a run fails or is cancelled
  /// are still delivered.
  ///
  /// - Parameters:
  ///   - order: The order of the calls: that in which the items end, or the order of the items.
  ///   - body: A closure that receives a result, the item's index and a context. It is called on any thread.
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

/// A group's use of its items' results, besides collecting the outputs.
package struct ResultPlan: Sendable {
  /// A closure that receives the result of an item; if it throws, the group fails with that error.
  package typealias Handler =
    @Sendable (_ result: FlowItemResult<any Sendable>, _ index: Int, FlowContext) async throws -> Void

  package internal(set) var kept: KeptResults?
  package var handlers: [Handler] = []
  var order = FlowResultOrder.completion
  package var delivers: Bool { !handlers.isEmpty }

  /// Adds a handler; if one has the order of the items, all have it.
  mutating func add(_ order: FlowResultOrder, _ handler: @escaping Handler) {
    if order == .input { self.order = .input }
    handlers.append(handler)
  }
}

/// The key under which a group writes the result of each item, at the item's index.
package struct KeptResults: Sendable {
  package let port: StepPort
  /// Returns the results as an array of the key's type, and the error of the first output that has another type.
  let array: @Sendable ([FlowItemResult<any Sendable>], _ isSensitive: Bool) -> (any Sendable, mismatch: FlowError?)

  init<Output>(_ key: FlowKey<[FlowItemResult<Output>]>) {
    port = StepPort(writing: key)
    array = { results, isSensitive in
      let typed: [FlowItemResult<Output>] = results.map { $0.typed(key.name, isSensitive: isSensitive) }
      let mismatched = zip(results, typed).first { $0.isSuccess && !$1.isSuccess }
      return (typed, mismatched?.1.error as? FlowError)
    }
  }
}

package typealias WrittenResults = (
  kept: KeptResults, results: [FlowItemResult<any Sendable>], hidesOutputs: Bool, step: GroupStep
)
