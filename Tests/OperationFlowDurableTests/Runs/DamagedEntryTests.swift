import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Entries of a store that doesn't notice damage.
@Suite(.watched) struct DamagedEntryTests {
  @Test func `a damaged journal hides no unfinished run`() async throws {
    let first = MemoryFlowStore()
    let flow = Flow("Publish").add("one") { _ in }.add("two") { _ in }
    #expect(await flow.run(id: "a", in: first).isSuccess)
    let all = try #require(first.journals["a"]).withoutBegins
    let entries = Array(all.prefix(2))
    let journals = [
      "a": [Data([9, 9])], "b": entries, "c": entries + [Data([2])] + entries.suffix(1), "d": entries, "e": all,
      "f": [],
    ]
    let store = HookedStore(journals) { hooks in
      hooks.reading = { id in if id == "d" { throw TestError(name: "offline") } }
    }
    let unfinished = try await store.unfinished()
    #expect(unfinished.map(\.id) == ["a", "b", "c", "d"])
    #expect(unfinished.map { $0.error?.code } == [.unreadableJournal, nil, .unreadableJournal, .storeFailed])
    #expect(unfinished.map(\.flowName) == ["", "Publish", "Publish", ""])
    #expect(unfinished.map(\.settledStepCount) == [0, 1, 1, 0])
    #expect(unfinished[0] == unfinished[0] && unfinished[1] != unfinished[2])
  }

  @Test(arguments: [
    JournalRun(first: RunWork(.item, of: 0, item: 0), count: .max, outputs: nil),
    JournalRun(first: RunWork(.item, of: 0, item: .max - 1), count: 2, outputs: nil),
    JournalRun(first: RunWork(.item, of: .max, item: 0), count: 2, outputs: nil),
    JournalRun(first: RunWork(.item, of: 0, item: -1), count: 2, outputs: nil),
    JournalRun(first: RunWork(.step, of: .max), count: 1, outputs: nil),
    JournalRun(first: RunWork(.step, of: 0), count: 0, outputs: nil),
    JournalRun(first: RunWork(.step, of: 0), count: .max, outputs: nil),
    JournalRun(first: RunWork(.check, of: 0), count: 1, outputs: nil),
  ])
  func `a range that no flow has is unreadable`(_ run: JournalRun) {
    let error = #expect(throws: FlowError.self) { try JournalEntry(JournalEntry.runs([run]).data) }
    #expect(error?.code == .unreadableJournal)
  }

  @Test func `large ranges are joined without a look at each piece, as far as they can be read again`() throws {
    let (count, entries) = (
      1_000_000_000,
      (0..<2).map {
        JournalRun(first: RunWork(.item, of: 3, item: $0 * 1_000_000_000), count: 1_000_000_000, outputs: nil)
      }
    )
    let last = JournalRun(first: RunWork(.item, of: 3, item: 2 * count), count: 1, outputs: nil)
    let other = JournalRun(first: RunWork(.item, of: 4, item: 0), count: JournalRun.limit, outputs: nil)
    let data = (entries + [last, other]).map { JournalEntry.runs([$0]).data }
    for isOrdered in [false, true] {
      let folded = try JournalCompaction.folded(data) { _ in isOrdered }
      try #require(folded.count == 1)
      guard case .runs(let runs) = try JournalEntry(folded[0]) else {
        Issue.record("no ranges")
        return
      }
      #expect(runs.map(\.first) == [RunWork(.item, of: 3, item: 0), RunWork(.item, of: 4, item: 0)])
      #expect(runs.map(\.count) == [2 * count + 1, JournalRun.limit])
    }
  }

  @Test func `items and times at the edge of what is a number are kept as they are`() throws {
    for isLate in [false, true] {
      let date = Date(timeIntervalSince1970: isLate ? 1e18 : -1e18)
      let works = [
        RunWork(.step, of: .max), RunWork(.item, of: .max, item: .max - 1),
        RunWork(.item, of: 0, item: JournalRun.limit),
      ]
      let entries = works.map { work in
        JournalEntry.settled(JournalSettlement(date: date, work: work, attempt: 1, result: .succeeded)).data
      }
      let folded = try JournalCompaction.folded(entries) { _ in false }
      #expect(folded == entries)
    }
  }
}
