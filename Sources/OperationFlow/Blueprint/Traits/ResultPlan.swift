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

typealias WrittenResults = (
  kept: KeptResults, results: [FlowItemResult<any Sendable>], hidesOutputs: Bool, step: GroupStep
)
