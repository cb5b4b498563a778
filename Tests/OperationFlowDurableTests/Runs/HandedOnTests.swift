import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

/// The closure for each result, in a durable run.
@Suite(.watched) struct HandedOnTests {
  private let out: FlowKey<[Int]> = "out"

  /// Returns a store that waits before it synchronizes an item's entry, and counts the synchronized entries.
  private func store(
    _ synchronized: Locked<Int>, until isReleased: Signal, _ began: Signal = Signal()
  ) -> HookedStore {
    HookedStore { hooks in
      hooks.synchronizing = { entries in
        if entries.withoutBegins.count >= 3 {
          await began.fire(thenAwait: isReleased)
        }
        synchronized.withLock { $0 = max($0, entries.withoutBegins.count) }
      }
    }
  }

  @Test func `with every settlement, a result is handed on when its item is on the disk`() async {
    let (synchronized, counts, began, release) = (Locked(0), Journal<Int>(), Signal(), Signal())
    let store = store(synchronized, until: release, began)
    let flow = Flow("Results").forEach(
      in: 0..<1, into: out, width: 1,
      .onEachResult { (_: FlowItemResult<Int>, _, _) in counts.append(synchronized.withLock { $0 }) }
    ) { number, _ in number }
    async let outcome = flow.run(id: "a", in: store, durability: .everySettlement)
    await began.wait()
    // Time for the result to arrive, if it didn't wait for the disk.
    for _ in 0..<1_000 { await Task.yield() }
    #expect(counts.entries == [])
    release.fire()
    #expect(await outcome.isSuccess)
    // The beginning, the plan and the item.
    #expect(counts.entries.count == 1 && (counts.entries.first ?? 0) >= 3)
  }

  @Test func `a result that waits for the disk when the run is cancelled is not handed on`() async throws {
    let (synchronized, counts, began, release) = (Locked(0), Tally(), Signal(), Signal())
    let store = store(synchronized, until: release, began)
    let make = {
      Flow("Results").forEach(
        in: 0..<2, into: out, width: 1, .onEachResult { (_: FlowItemResult<Int>, _, _) in counts.add() }
      ) { number, _ in number }
    }
    let flow = make()
    async let outcome = flow.run(id: "a", in: store, durability: .everySettlement)
    await began.wait()
    flow.cancel()
    release.fire()
    #expect(await outcome.report.cancellation == .call && counts.count == 0)
    #expect(await make().run(id: "a", in: store.memory).report.cancellation == .call)
  }

  @Test func `a run resumes with results that were not handed on`() async throws {
    let handed = Journal<Int>()
    let make = { (handed: Journal<Int>) in
      Flow("Results").forEach(
        in: 0..<3, into: out, width: 1,
        .onEachResult { (result: FlowItemResult<Int>, _, _) in handed.append(result.output ?? -1) }
      ) { number, _ in number }
    }
    let first = MemoryFlowStore()
    _ = await make(Journal()).run(id: "a", in: first, durability: .operatingSystem)
    let cut = MemoryFlowStore(["a": Array(try #require(first.journals["a"]).withoutBegins.prefix(3))])
    #expect(await make(handed).run(id: "a", in: cut, durability: .everySettlement).isSuccess)
    #expect(handed.entries == [0, 1, 2])
  }
}
