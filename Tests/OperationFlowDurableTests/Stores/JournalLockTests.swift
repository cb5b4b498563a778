import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

/// Checks that only one at a time can write a journal, in all processes.
@Suite(.watched) struct JournalLockTests {
  /// Returns the folder of a process, whose path its parent and its children can make too.
  private static func folder(of process: Int32, _ name: String) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(process)")
  }

  /// Calls `body` with an empty folder of this process, which is removed afterwards.
  private func withFolder(_ name: String, _ body: (URL) async throws -> Void) async throws {
    let folder = Self.folder(of: getpid(), name)
    // A process with the same number may have ended before it removed its folder.
    try? FileManager.default.removeItem(at: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test func `a second opening is an error that says who has the journal, and since when`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let earliest = Date().addingTimeInterval(-1)
      let journal = try store.openJournal(of: "a").journal
      try journal.append(Data([1]))
      for other in [store, FileFlowStore(folder: folder)] {
        let error = #expect(throws: FlowError.self) { try other.openJournal(of: "a") }
        #expect(error?.code == .runInUse)
        let text = try #require(error?.problem)
        #expect(text.hasPrefix("the run \"a\" is in use by this process (\(getpid()) on "))
        let date = try #require(text.split(separator: " ").last.flatMap { ISO8601DateFormatter().date(from: "\($0)") })
        #expect((earliest...Date()).contains(date))
        let removing = #expect(throws: FlowError.self) { try other.removeJournal(of: "a") }
        #expect(removing?.code == .runInUse)
      }
      // The failed opening affects neither the open journal nor other journals.
      try journal.append(Data([2]))
      try store.openJournal(of: "b").journal.close()
      journal.close()
      #expect(try store.openJournal(of: "a").entries.count == 2)
    }
  }

  @Test func `a journal that is freed can be opened again`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      for number in 0..<3 { try store.openJournal(of: "a").journal.append(Data([UInt8(number)])) }
      #expect(try store.readJournal(of: "a") == [Data([0]), Data([1]), Data([2])])
    }
  }

  @Test func `a holder whose folder was removed takes nothing from the one that has made it again`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let old = try store.openJournal(of: "a").journal
      try FileManager.default.removeItem(at: folder)
      let new = try store.openJournal(of: "a").journal
      old.close()
      let error = #expect(throws: FlowError.self) { try store.openJournal(of: "a") }
      #expect(error?.code == .runInUse)
      try new.append(Data([1]))
      new.close()
      #expect(try store.openJournal(of: "a").entries == [Data([1])])
    }
  }

  @Test func `of many that open a journal at once, one at a time has it`() async throws {
    try await withJournalFolder { folder in
      let (holders, wins) = (Locked(0), Tally())
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            for round in 0..<50 {
              guard let journal = try? FileFlowStore(folder: folder).openJournal(of: "a").journal else { continue }
              let isAlone = holders.withLock { count in
                count += 1
                return count == 1
              }
              #expect(isAlone)
              #expect(throws: Never.self) { try journal.append(Data([UInt8(number), UInt8(round)])) }
              wins.add()
              holders.withLock { $0 -= 1 }
              journal.close()
            }
          }
        }
      }
      let entries = try FileFlowStore(folder: folder).readJournal(of: "a")
      #expect(entries?.count == wins.count && wins.count > 0)
    }
  }

  @Test func `another process is kept out, and told who has the journal`() async throws {
    try await withFolder("journal-held") { folder in
      let journal = try FileFlowStore(folder: folder).openJournal(of: "a").journal
      try journal.append(Data([1]))
      await #expect(processExitsWith: .success) {
        try JournalLockTests.checkHeld(in: JournalLockTests.folder(of: getppid(), "journal-held"), by: getppid())
      }
      journal.close()
    }
  }

  /// Throws unless a process has the journal; a child process that throws doesn't exit as expected.
  private static func checkHeld(in folder: URL, by process: Int32) throws {
    let store = FileFlowStore(folder: folder)
    do {
      _ = try store.openJournal(of: "a")
      throw TestError(name: "it was opened")
    } catch let error as FlowError {
      let text = "the run \"a\" is in use by process \(process) on "
      guard error.code == .runInUse, error.problem.hasPrefix(text) else { throw error }
    }
    guard try store.readJournal(of: "a") == [Data([1])] else { throw TestError(name: "it was not read") }
  }

  @Test func `what a process has written that is killed is there, and its lock holds up no one`() async throws {
    try await withFolder("journal-killed") { folder in
      await #expect(processExitsWith: .signal(SIGKILL)) {
        let store = FileFlowStore(folder: JournalLockTests.folder(of: getppid(), "journal-killed"))
        let journal = try store.openJournal(of: "a").journal
        for entry in entries(0..<50) { try journal.append(entry) }
        kill(getpid(), SIGKILL)
        // Never reached: it retains the journal, which would otherwise be closed before the signal.
        try journal.append(Data())
      }
      #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("a.lock").path))
      let opened = try FileFlowStore(folder: folder).openJournal(of: "a")
      #expect(opened.entries == entries(0..<50) && opened.repair == nil)
    }
  }

  @Test func `a process that is killed at any moment leaves the beginning of what it wrote`() async throws {
    try await withFolder("journal-any") { folder in
      for _ in 0..<3 {
        await #expect(processExitsWith: .signal(SIGKILL)) {
          let store = FileFlowStore(folder: JournalLockTests.folder(of: getppid(), "journal-any"))
          let isBegun = DispatchSemaphore(value: 0)
          Thread.detachNewThread {
            isBegun.wait()
            for _ in 0..<Int.random(in: 0..<300_000) { _ = getppid() }
            kill(getpid(), SIGKILL)
          }
          let opened = try store.openJournal(of: "a")
          let journal = opened.journal
          var next = opened.entries.count
          while true {
            try journal.append(Data("\(next)".utf8))
            next += 1
            if next % 10 == 0 {
              isBegun.signal()
              try await journal.replaceEntries(first: 5, with: (0..<5).map { Data("\($0)".utf8) })
            }
          }
        }
        let opened = try FileFlowStore(folder: folder).openJournal(of: "a")
        let found = opened.entries
        #expect(found.count >= 9 && found == (0..<found.count).map { Data("\($0)".utf8) })
        opened.journal.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.journal"])
      }
    }
  }
}
