import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlowDurable

/// A resumed run's record contains the events before the resume that still matter.
@Suite(.watched) struct RestoredEventsTests {
  @Test func `an undo that failed before the resume is in the summary, the record's cause and the report`() async throws
  {
    let left = Journal<[Data]>()
    let make = { (store: MemoryFlowStore) in
      Flow("Checkout")
        .add("reserve", .undo { _ in left.append(store.journals["a"] ?? []) }) { _ in }
        .add("charge", .undo { _ in throw TestError(name: "bank is closed") }) { _ in }
        .add("ship") { _ in throw TestError(name: "out of stock") }
    }
    let store = MemoryFlowStore()
    let first = await make(store).run(id: "a", in: store, durability: .operatingSystem)
    let resumed = MemoryFlowStore(["a": try #require(left.entries.first)])
    let second = await make(resumed).run(id: "a", in: resumed)
    for report in [first.report, second.report] {
      #expect(report.undos.count == 2 && report.undos.count { $0.error != nil } == 1)
      let brief = report.summary(style: .brief)
      #expect(brief.contains("1 could not be undone") && brief.contains("1 undone"))
      #expect(brief.contains("undo failed: [charge]") && brief.contains("bank is closed"))
      let cause = try #require(report.record.cause)
      #expect(cause.undoneCount == 1 && cause.undoFailures.map(\.name) == ["[charge]"])
    }
  }

  @Test func `observers of a resumed run are told of its group, and of how many items had ended`() async throws {
    let left = Journal<[Data]>()
    let make = { (store: MemoryFlowStore) in
      Flow("Items").set("items" as FlowKey<[Int]>, to: Array(0..<5))
        .forEach("items" as FlowKey<[Int]>, width: 1) { item, _ in
          if item == 3 { left.append(store.journals["a"] ?? []) }
        }
    }
    let store = MemoryFlowStore()
    #expect(await make(store).run(id: "a", in: store, durability: .operatingSystem).isSuccess)
    let resumed = MemoryFlowStore(["a": try #require(left.entries.first)])
    let (flow, kinds) = (make(resumed), Journal<FlowEvent.Kind>())
    flow.observe { kinds.append($0.kind) }
    let outcome = await flow.run(id: "a", in: resumed)
    let created = kinds.entries.firstIndex(of: .groupCreated(count: 5))
    #expect(outcome.isSuccess && created != nil)
    #expect(created.map { kinds.entries[$0 + 1] } == .leftOut(events: 0, items: 3))
    #expect(outcome.report.summary.contains("3 items ended before the resume"))
  }
}
