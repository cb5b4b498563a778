import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowTesting
import TestSupport
import Testing

/// Runs that are removed from their stores.
@Suite(.watched) struct RemovedRunTests {
  private static let number: FlowSignal<Int> = "number"

  /// Returns the code of the error of a removal; `nil` if it succeeds.
  private func code(
    removing id: String, evenIfUnfinished: Bool = false, from store: any FlowStore
  ) async -> FlowError.Code? {
    do {
      try await store.remove(id, evenIfUnfinished: evenIfUnfinished)
      return nil
    } catch { return (error as? FlowError)?.code }
  }

  private func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func `a run that has ended is removed with all its files, and can begin anew`() async throws {
    try await withJournalFolder { folder in
      let (store, ran) = (FileFlowStore(folder: folder), Tally())
      let flow = Flow("F").add("a") { _ in ran.add() }
      for id in ["a", "b"] { #expect(await flow.run(id: id, in: store).isSuccess) }
      #expect(await code(removing: "a", from: store) == nil)
      let left = try names(in: folder)
      #expect(left == ["b.journal"])
      #expect(await flow.run(id: "a", in: store).hadEnded == false && ran.count == 3)
    }
  }

  @Test func `a run that has not ended stays with its signals, unless it is to be removed all the same`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let memory = try await Flow("F").add("a") { _ in }.add("b") { _ in }.cut(settled: 1)
      try await store.withJournal(of: "a") { journal in
        for entry in memory.journals["a"] ?? [] { try journal.append(entry) }
      }
      try await store.send(Self.number, 1, to: "a")
      let before = try names(in: folder)
      #expect(await code(removing: "a", from: store) == .unfinishedRun)
      #expect(try names(in: folder) == before && before.count == 2)
      #expect(await code(removing: "a", evenIfUnfinished: true, from: store) == nil)
      #expect(try names(in: folder).isEmpty)
    }
  }

  @Test func `a run that a process has is removed by nobody`() async throws {
    for isEnded in [false, true] {
      try await withJournalFolder { folder in
        let store = FileFlowStore(folder: folder)
        if isEnded { #expect(await Flow("F").add("a") { _ in }.run(id: "a", in: store).isSuccess) }
        try await store.withJournal(of: "a") { journal in
          #expect(await code(removing: "a", evenIfUnfinished: true, from: store) == .runInUse)
          let removed = try await store.removeEnded(before: .distantFuture)
          #expect(removed.isEmpty)
        }
        #expect(try store.readJournal(of: "a") != nil)
      }
    }
  }

  @Test func `what isn't there, or can't be read, is an error of its own`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      for id in ["", "a"] {
        for isForced in [false, true] {
          #expect(await code(removing: id, evenIfUnfinished: isForced, from: store) == .unknownRun)
        }
      }
      #expect(await code(removing: "a.signals", from: store) == .storeFailed)
      try await store.withJournal(of: "empty") { _ in }
      #expect(await code(removing: "empty", from: store) == nil)
      #expect(await Flow("F").add("a") { _ in }.run(id: "a", in: store).isSuccess)
      try Data("nonsense".utf8).write(to: store.file(of: "a"))
      #expect(await code(removing: "a", from: store) == .unreadableJournal)
      #expect(try Data(contentsOf: store.file(of: "a")) == Data("nonsense".utf8))
      #expect(await code(removing: "a", evenIfUnfinished: true, from: store) == nil)
      #expect(try names(in: folder).isEmpty)
    }
  }

  @Test func `what ended before a date is removed, and nothing else`() async throws {
    let (store, clock) = (MemoryFlowStore(), ManualClock())
    let flow = Flow("F").clock(clock).add("a") { _ in }
    for id in ["1", "2", "3"] {
      #expect(await flow.run(id: id, in: store).isSuccess)
      await clock.advance(by: .seconds(60))
    }
    let entries = try #require(store.journals["1"])
    let all = MemoryFlowStore(store.journals.merging(["cut": Array(entries.dropLast())]) { old, _ in old })
    #expect(try await all.removeEnded(before: clock.startDate.addingTimeInterval(60)) == ["1"])
    #expect(try await all.removeEnded(before: clock.startDate.addingTimeInterval(60)).isEmpty)
    #expect(try await all.removeEnded(before: .distantFuture) == ["2", "3"])
    #expect(all.runIDs() == ["cut"])
  }
}
