import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Journals of runs whose work settled in other orders, and resumes that lack something.
@Suite(.watched) struct DurableOrderTests {
  private static let out: FlowKey<[Int]> = "out"

  /// Returns the first entry of a run, and its settlements.
  private static func journal(of flow: Flow) async throws -> (first: Data, settlements: [JournalSettlement]) {
    let store = MemoryFlowStore()
    _ = await flow.run(id: "r", in: store, durability: .operatingSystem)
    let entries = (store.journals["r"] ?? []).withoutBegins
    let settlements = try entries.dropFirst().compactMap { data -> JournalSettlement? in
      if case .settled(let settlement) = try JournalEntry(data) { settlement } else { nil }
    }
    return (try #require(entries.first), settlements)
  }

  private static func data(_ settlements: some Sequence<JournalSettlement>) -> [Data] {
    settlements.map { JournalEntry.settled($0).data }
  }

  @Test func `items that were at work when their sequence had ended are run by the resume`() async throws {
    let make = { @Sendable (ran: Journal<Int>) in
      Flow("F").forEach(in: 0..<3, into: Self.out, width: 4) { item, _ in
        ran.append(item)
        return item * 2
      }
    }
    let (first, all) = try await Self.journal(of: make(Journal()))
    let plan = all.filter { if case .planned = $0.result { true } else { false } }
    let end = all.filter { if case .pulledAll = $0.result { true } else { false } }
    let items = all.filter { $0.work.isAttempt }
    try #require(plan.count == 1 && end.count == 1 && items.count == 3)
    for settledCount in 0...3 {
      let store = MemoryFlowStore(["r": [first] + Self.data(plan + end + items.prefix(settledCount))])
      let ran = Journal<Int>()
      let outcome = await make(ran).run(id: "r", in: store)
      #expect(outcome.isSuccess && outcome.report[Self.out] == [0, 2, 4])
      let settled = items.prefix(settledCount).compactMap(\.work.item)
      #expect(ran.entries.sorted() == (0..<3).filter { !settled.contains($0) })
    }
  }

  @Test func `a group that has begun is resumed by a flow of another width`() async throws {
    let make = { @Sendable (ran: Journal<Int>, width: Int) in
      Flow("F").set("items" as FlowKey<[Int]>, to: [0, 1, 2])
        .forEach("items" as FlowKey<[Int]>, into: Self.out, width: width) { item, _ in
          ran.append(item)
          return item * 2
        }
    }
    let (first, all) = try await Self.journal(of: make(Journal(), 3))
    let plan = all.filter { if case .planned = $0.result { true } else { false } }
    let last = all.filter { $0.work.item == 2 }
    let store = MemoryFlowStore(["r": [first] + Self.data(plan + last)])
    let ran = Journal<Int>()
    let outcome = await make(ran, 1).run(id: "r", in: store)
    #expect(outcome.isSuccess && outcome.report[Self.out] == [0, 2, 4])
    #expect(ran.entries.sorted() == [0, 1])
  }

  @Test func `what always runs, and was cut off by a failure of its own, is resumed`() async throws {
    let check = DurableCheck { ran in
      let isWaiting = Signal()
      return Flow("F").add("work") { DurableCheck.note($0, ran) }
        .always("at the end") { inner in
          inner.parallel { step in
            step.branch("fails") {
              $0.add("fail") { context in
                DurableCheck.note(context, ran)
                // Both branches have begun in every run that reaches this step.
                await isWaiting.wait()
                throw TestError()
              }
            }
            step.branch("waits") {
              $0.add("wait") { context in
                DurableCheck.note(context, ran)
                isWaiting.fire()
                try await Task.sleep(for: .seconds(3600))
              }
            }
          }
        }
    }
    try await check.check()
  }
}
