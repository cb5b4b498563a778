import Foundation
import OperationFlow
import OperationFlowDurable
import Testing

extension Flow {
  /// Runs it as "a", and gives back the journal that the process would leave if it ended after so many settlements.
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
  /// The journal of "a", up to its first entry and so many settlements.
  package func cut(settled count: Int) throws -> MemoryFlowStore {
    let entries = try #require(journals["a"]).withoutBegins
    try #require(entries.count > count)
    return MemoryFlowStore(["a": Array(entries.prefix(count + 1))])
  }
}

extension FlowSealing {
  /// Hides bytes from one who looks for a text, and no better.
  package static let masking = FlowSealing(seal: { Data($0.map { $0 ^ 0x5A }) }, open: { Data($0.map { $0 ^ 0x5A }) })
}

extension [Data] {
  /// The entries of a journal as if the process had ended in no attempt: without those about attempts that begin.
  package var withoutBegins: [Data] { filter { $0.first != 8 } }
}
