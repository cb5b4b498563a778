import Foundation
import OperationFlow
import OperationFlowDurable
import Testing

extension Flow {
  /// Runs the flow as "a", and returns the journal that the process would leave if it ended after `count` settlements.
  package func cut(
    settled count: Int, with data: [String: any Sendable] = [:], sealing: FlowSealing? = nil,
    omitting: Set<String> = []
  ) async throws -> MemoryFlowStore {
    let store = MemoryFlowStore()
    _ = await run(
      id: "a", in: store, with: data, durability: .operatingSystem, sealing: sealing, omitting: omitting)
    return try store.cut(settled: count)
  }
}

extension MemoryFlowStore {
  /// Returns the journal of "a" up to its first entry and `count` settlements.
  package func cut(settled count: Int) throws -> MemoryFlowStore {
    let entries = try #require(journals["a"]).withoutBegins
    try #require(entries.count > count)
    return MemoryFlowStore(["a": Array(entries.prefix(count + 1))])
  }
}

extension FlowSealing {
  /// A sealing that hides bytes from a search for a text, and no better.
  package static let masking = FlowSealing(seal: { Data($0.map { $0 ^ 0x5A }) }, open: { Data($0.map { $0 ^ 0x5A }) })
}

extension [Data] {
  /// The entries without those about attempts that begin, as if the process had ended during no attempt.
  package var withoutBegins: [Data] { filter { $0.first != 8 } }
}
