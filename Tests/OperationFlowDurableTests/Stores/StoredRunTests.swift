import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// The states of runs that a store reads without the code of their flows.
@Suite(.watched) struct StoredRunTests {
  private static let number: FlowSignal<Int> = "number"

  /// Returns a run's state as a text.
  private static func text(_ run: FlowStoredRun?) -> String {
    switch run?.state {
    case .unfinished: "unfinished"
    case .waiting(let waits):
      waits.map { "waits for \($0.signal ?? "time") in \($0.step)\($0.until == nil ? "" : " until a date")" }
        .joined(separator: ", ")
    case .succeeded: "succeeded"
    case .failed(let text): "failed: \(text)"
    case .cancelled: "cancelled"
    case .unreadable(let error): error.code.description
    case nil: "nothing"
    }
  }

  private func text(_ run: FlowStoredRun?) -> String { Self.text(run) }

  /// Returns a run's state from both kinds of stores: one reads a file's ends, and the other all entries.
  private func states(_ entries: [Data], in folder: URL) async throws -> [String] {
    let store = FileFlowStore(folder: folder.appendingPathComponent(UUID().uuidString))
    try await store.withJournal(of: "r") { journal in for entry in entries { try journal.append(entry) } }
    return [
      text(try await store.storedRun("r")), text(try await MemoryFlowStore(["r": entries]).storedRun("r")),
    ]
  }

  @Test func `a run that has ended is listed with its flow, its times, and how it ended`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let clock = ManualClock()
      _ = await Flow("Good").clock(clock).add("a") { _ in }.add("b") { _ in }.run(id: "good", in: store)
      _ = await Flow("Bad").add("a") { _ in throw TestError(name: "broken") }.run(id: "bad", in: store)
      _ = await Flow("Stopped").add("a") { _ in throw CancellationError() }.run(id: "stopped", in: store)
      let runs = try await store.runs()
      #expect(runs.map(\.id) == ["bad", "good", "stopped"] && runs.map(\.flowName) == ["Bad", "Good", "Stopped"])
      #expect(runs.map(Self.text) == ["failed: \(TestError(name: "broken"))", "succeeded", "cancelled"])
      #expect(runs.allSatisfy { $0.hasEnded && !$0.isUnfinished && $0.crashCount == 0 && $0.settledItemCount == nil })
      let good = try #require(runs.first { $0.id == "good" })
      #expect(good.began == clock.startDate && good.ended == clock.startDate && good.settledStepCount == 2)
      #expect(good.byteCount == (try Data(contentsOf: store.file(of: "good")).count))
      #expect(try await store.unfinished().isEmpty)
    }
  }

  @Test func `a run that waits is listed with its signals and times, and one that has been sent them is not`()
    async throws
  {
    let store = MemoryFlowStore()
    let flow = Flow("Waits").add("a") { _ in }.wait(for: Self.number, timeout: .seconds(3600)).add("b") { _ in }
    async let outcome = flow.run(id: "r", in: store)
    while !text(try await store.storedRun("r")).hasPrefix("waits") { await Task.yield() }
    let waiting = try #require(store.journals["r"])
    try await store.send(Self.number, 1, to: "r")
    #expect(await outcome.isSuccess)
    let all = try #require(store.journals["r"])
    try await withJournalFolder { folder in
      let wait = "waits for number in 2. wait for number until a date"
      #expect(try await states(waiting, in: folder) == [wait, wait])
      let taken = Array(all.prefix(waiting.count + 1))
      #expect(try await states(taken, in: folder) == ["unfinished", "unfinished"])
      let rest = JournalRest(due: nil, messageCount: 0)
      let totals = try #require(JournalTotals(atEndOf: waiting[waiting.count - 1]))
      let rested = waiting + [JournalEntry.rests(rest).data(for: nil, totals)]
      #expect(try await states(rested, in: folder) == [wait, wait])
      #expect(try await states(all, in: folder) == ["succeeded", "succeeded"])
    }
  }

  @Test func `several steps that wait are all listed, and one whose time is over is not`() async throws {
    let store = MemoryFlowStore()
    let late: FlowSignal<Int> = "late"
    let flow = Flow("Both").parallel("waits") {
      $0.branch("One") { $0.wait(for: Self.number) }
      $0.branch("Two") { $0.wait(for: late) }
      $0.branch("Three") { $0.wait(.zero) }
    }
    async let outcome = flow.run(id: "r", in: store)
    while true {
      if case .waiting(let waits)? = try await store.storedRun("r")?.state, waits.count == 2,
        waits.allSatisfy({ $0.signal != nil })
      {
        break
      }
      await Task.yield()
    }
    try await store.send(Self.number, 1, to: "r")
    while text(try await store.storedRun("r")).contains("number") { await Task.yield() }
    #expect(text(try await store.storedRun("r")).hasPrefix("waits for late in "))
    try await store.send(late, 1, to: "r")
    #expect(await outcome.isSuccess)
  }

  @Test func `a run that can't be read is listed with its error, and hides no other`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      for id in ["a", "b", "c"] { _ = await Flow("F").add("a") { _ in }.run(id: id, in: store) }
      try Data("nonsense".utf8).write(to: store.file(of: "b"))
      try await store.withJournal(of: "empty") { _ in }
      #expect(try await store.runs().map(Self.text) == ["succeeded", "unreadableJournal", "succeeded"])
      for id in ["empty", "none", "", "a.signals"] { #expect(text(try await store.storedRun(id)) == "nothing") }
    }
  }

  @Test func `of a failure whose text is too long, and of a flow with many steps, the beginning is read`() async throws
  {
    try await withJournalFolder { folder in
      let disk = CountingDisk()
      let store = FileFlowStore(folder: folder, disk: disk)
      let error = TestError(name: String(repeating: "x", count: 100_000))
      _ = await Flow("Long").add("a") { _ in throw error }.run(id: "long", in: store)
      let many = Flow("Many")
      for step in 0..<2_000 { many.add("step \(step)") { _ in } }
      async let outcome = many.wait(for: Self.number).run(id: "many", in: store)
      while !text(try await store.storedRun("many")).hasPrefix("waits") { await Task.yield() }
      #expect(text(try await store.storedRun("many")) == "waits for time in ")
      let count = try await disk.counting {
        #expect(text(try await store.storedRun("long")).hasPrefix("failed: "))
        _ = try await store.storedRun("many")
      }
      #expect(count < 150_000, "\(count) bytes")
      try await store.send(Self.number, 1, to: "many")
      #expect(await outcome.isSuccess)
    }
  }

  @Test func `the list reads a few kilobytes of each run, however much it has written`() async throws {
    try await withJournalFolder { folder in
      let disk = CountingDisk()
      let store = FileFlowStore(folder: folder, disk: disk)
      let text = String(repeating: "x", count: 1_000_000)
      let flow = Flow("Large").add("large") { $0["text"] = text }.forEach(in: 0..<300) { _, _ in }
      for id in 0..<5 { #expect(await flow.run(id: "\(id)", in: store).isSuccess) }
      var runs: [FlowStoredRun] = []
      let count = try await disk.counting { runs = try await store.runs() }
      #expect(runs.count == 5 && runs.allSatisfy { $0.byteCount > 1_000_000 && $0.hasEnded })
      #expect(count < 5 * 50_000, "\(count) bytes")
    }
  }
}
