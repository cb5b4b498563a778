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

/// What a group does with the result of each item, besides collecting the outputs.
package struct ResultPlan: Sendable {
  /// Is given the result of an item; an error is one of the group.
  package typealias Handler =
    @Sendable (_ result: FlowItemResult<any Sendable>, _ index: Int, FlowContext) async throws -> Void

  package internal(set) var kept: KeptResults?
  package var handlers: [Handler] = []
  var order = FlowResultOrder.completion
  package var handsOn: Bool { !handlers.isEmpty }

  /// Adds a handler; if one has the order of the items, all have it.
  mutating func add(_ order: FlowResultOrder, _ handler: @escaping Handler) {
    if order == .input { self.order = .input }
    handlers.append(handler)
  }
}

/// The key under which a group writes the result of each item, in its place.
package struct KeptResults: Sendable {
  package let port: StepPort
  /// The results as an array of the key's type, with the first output of another type.
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
