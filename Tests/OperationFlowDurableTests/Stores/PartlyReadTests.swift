import Foundation
import OperationFlowStorage
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// The number of bytes that readers of a journal's ends, or of its new entries, read.
@Suite(.watched) struct PartlyReadTests {
  private static let number: FlowSignal<Int> = "number"

  @Test func `a signal is sent and read at the same cost, however many came before`() async throws {
    try await withJournalFolder { folder in
      let disk = CountingDisk()
      let store = FileFlowStore(folder: folder, disk: disk)
      let send = { (count: Int) in
        for value in 1...count { try await store.send(Self.number, value, to: "r", beforeItBegins: true) }
      }
      try await send(300)
      let early = try await disk.counting { try await send(20) }
      try await send(600)
      let late = try await disk.counting { try await send(20) }
      #expect(late <= early + 20 * 200, "\(early) and \(late) bytes")
      let mailbox = Mailbox(run: "r", store: store)
      let (_, end) = try #require(try mailbox.entries())
      var new: [Mailbox.Entry]?
      let idle = try await disk.counting { new = try mailbox.entries(after: end)?.entries }
      #expect(new?.isEmpty == true)
      try await send(1)
      let next = try await disk.counting { new = try mailbox.entries(after: end)?.entries }
      #expect(new?.map(\.number) == [941])
      #expect(idle < 200 && next < 500, "\(idle) and \(next) bytes")
    }
  }

  @Test func `a large value that was written is read by no sender, and not by a look at what is unfinished`()
    async throws
  {
    try await withJournalFolder { folder in
      let disk = CountingDisk()
      let store = FileFlowStore(folder: folder, disk: disk)
      let flow = Flow("Large").add("large") { $0["text"] = String(repeating: "x", count: 3_000_000) }
      #expect(await flow.run(id: "ended", in: store).isSuccess)
      var unfinished: [FlowUnfinishedRun] = []
      let refused = try await disk.counting {
        do {
          try await store.send(Self.number, 1, to: "ended")
          throw TestError(name: "it was sent")
        } catch is FlowError {}
        unfinished = try await store.unfinished()
      }
      #expect(unfinished.isEmpty)
      async let outcome = flow.wait(for: Self.number).run(id: "waits", in: store)
      while try store.readJournal(of: "waits")?.count ?? 0 < 2 { await Task.yield() }
      let sent = try await disk.counting { try await store.send(Self.number, 1, to: "waits") }
      let isSuccess = await outcome.isSuccess
      #expect(isSuccess && refused < 100_000 && sent < 100_000, "\(refused) and \(sent) bytes")
    }
  }

  private static let blob: FlowKey<String> = "blob"

  private static let large = String(repeating: "x", count: 3_000_000)

  /// Flows whose data is three megabytes before their last step.
  private static let flows: [String: @Sendable () -> Flow] = [
    "a value that it was given": { Flow("Blob").set(blob, to: large).add("one") { _ in } },
    "a value of a step": { Flow("Blob").add("one") { $0[blob] = large }.add("two") { _ in } },
    "outputs of items": {
      Flow("Blob").forEach(in: 0..<3, into: "out" as FlowKey<[String]>, width: 1) { _, _ in large }
    },
  ]

  /// Checks that the unfinished runs that are found by the ends of the files are right.
  private func look(_ store: FileFlowStore, _ disk: CountingDisk) async throws {
    var found: [FlowUnfinishedRun] = []
    let count = try await disk.counting { found = try await store.unfinished() }
    #expect(count < 100_000, "\(count) bytes")
    let entries = try #require(try store.readJournal(of: "r"))
    let expected = try await MemoryFlowStore(["r": entries]).unfinished()
    #expect(found == expected && found.first?.flowName == "Blob" && found.first?.settledStepCount ?? 0 > 0)
  }

  @Test(arguments: flows.keys.sorted())
  func `what is unfinished is found in the ends of its journal, and is what all of it says`(what: String) async throws {
    try await withJournalFolder { folder in
      let disk = CountingDisk()
      let store = FileFlowStore(folder: folder, disk: disk)
      let make = try #require(Self.flows[what])
      let (reached, looked) = (Signal(), Signal())
      let flow = make().add("last") { _ in
        reached.fire()
        await looked.wait()
      }
      async let outcome = flow.run(id: "r", in: store)
      await reached.wait()
      try await look(store, disk)
      looked.fire()
      #expect(await outcome.isSuccess)
    }
  }

  @Test func `the same holds if the last entry is large`() async throws {
    let full = MemoryFlowStore()
    let flow = Flow("Blob").add("one") { $0[Self.blob] = Self.large }.add("two") { _ in }
    #expect(await flow.run(id: "r", in: full).isSuccess)
    let cut = try #require(full.journals["r"]?.prefix(3))
    #expect(cut.last?.count ?? 0 > 3_000_000)
    try await withJournalFolder { folder in
      let disk = CountingDisk()
      let store = FileFlowStore(folder: folder, disk: disk)
      try await store.withJournal(of: "r") { journal in for entry in cut { try journal.append(entry) } }
      try await look(store, disk)
    }
  }

  @Test func `after each entry of a run, its ends say what all of it does`() async throws {
    let make = { (attempt: Int) in
      Flow("Counts").add("one") { _ in }
        .forEach(in: 0..<4, into: "out" as FlowKey<[Int]>, width: 2, tolerating: .all) { item, _ in
          if item == 1 { throw TestError() }
          return item
        }
        .add("two", .retry(.attempts(3, delay: .zero)), .undo { _ in }) { context in
          if context.attempt < 3 { throw TestError() }
        }
        .add("three") { _ in throw TestError() }
    }
    let full = MemoryFlowStore()
    _ = await make(0).run(id: "r", in: full)
    var entries = try #require(full.journals["r"]).dropLast()
    var counts: Set<Int> = []
    for _ in 0..<3 {
      // A crash during an attempt, which the next process records.
      let begin = try #require(entries.lastIndex { $0.first == JournalEntry.Kind.begins.rawValue })
      let crashed = MemoryFlowStore(["r": Array(entries[...begin])])
      _ = await make(0).run(id: "r", in: crashed)
      for count in 1...entries.count {
        let part = Array(entries.prefix(count))
        let expected = try #require(try await MemoryFlowStore(["r": part]).unfinished().first)
        var last: JournalTotals?
        if count > 1 { _ = try JournalEntry(part[count - 1], totals: &last) } else { last = JournalTotals() }
        #expect(last?.stepCount == expected.settledStepCount && last?.itemCount == expected.settledItemCount)
        #expect(last?.crashCount == expected.crashCount, "\(count)")
        #expect(count == 1 || last == JournalTotals(atEndOf: part[count - 1].suffix(64)))
        counts.insert(expected.crashCount)
      }
      entries = try #require(crashed.journals["r"]).dropLast()
    }
    #expect(counts.isSuperset(of: [0, 1]))
    let folded = try JournalCompaction.folded(Array(entries)) { _ in false }
    let last = try #require(folded.last)
    #expect(JournalTotals(atEndOf: last) == JournalTotals(atEndOf: try #require(entries.last)))
  }

  @Test(arguments: [0, 1, 2, 3, 700])
  func `the ends of a journal, and what is after a place, are those that all of it has`(count: Int) async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      for lastCount in [0, 1, 300, 16_000, 16_384, 40_000] {
        let id = "run \(lastCount)"
        let all = entries(0..<count) + [Data(repeating: 7, count: lastCount)]
        try await store.withJournal(of: id) { journal in for entry in all { try journal.append(entry) } }
        let ends = try #require(try store.ends(of: id))
        #expect(ends.first == all[0] && (ends.last.map { all[all.count - 1].starts(with: $0) } ?? (count == 0)))
        let end = try store.end(of: id)
        #expect(end.last.map { all[all.count - 1].starts(with: $0) } == true)
        let place = try #require(try store.part(of: id, after: .start)).end
        try end.journal.append(Data("next".utf8))
        try await end.journal.synchronize()
        end.journal.close()
        #expect(try store.readJournal(of: id) == all + [Data("next".utf8)])
        let part = try #require(try store.part(of: id, after: place))
        #expect(part.entries == [Data("next".utf8)] && part.end.count == all.count + 1)
        // A file that was replaced is read from its beginning.
        try await store.withJournal(of: id) { try await $0.replaceEntries(first: 1, with: [Data("new".utf8)]) }
        #expect(try store.part(of: id, after: place)?.entries.first == Data("new".utf8))
      }
      #expect(try store.ends(of: "none") == nil && store.part(of: "none", after: .start) == nil)
    }
  }

  @Test func `a file that is damaged at its end is opened by nobody`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      try await store.withJournal(of: "r") { journal in for entry in entries(0..<40) { try journal.append(entry) } }
      var bytes = try Data(contentsOf: store.file(of: "r"))
      bytes[bytes.count - 1] ^= 1
      bytes += Data(repeating: 1, count: 600)
      try bytes.write(to: store.file(of: "r"))
      #expect(throws: FlowError.self) { try store.end(of: "r") }
      #expect(throws: FlowError.self) { try store.ends(of: "r") }
      #expect(throws: FlowError.self) { try store.part(of: "r", after: .start) }
      #expect(try Data(contentsOf: store.file(of: "r")) == bytes)
    }
  }
}
