import Foundation
import OperationFlow
import OperationFlowStorage
import TestSupport
import Testing

@testable import OperationFlowDurable

@Suite(.watched) struct FileFlowStoreTests {
  private func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func mode(of url: URL) throws -> Int? {
    (try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test func `entries are there in the next store, and nothing but the journal is in the folder`() async throws {
    try await withJournalFolder { folder in
      let all = entries(0..<600)
      let journal = try FileFlowStore(folder: folder).openJournal(of: "a").journal
      for entry in all[..<300] { try journal.append(entry) }
      #expect(try FileFlowStore(folder: folder).readJournal(of: "a") == Array(all[..<300]))
      try await journal.synchronize()
      for entry in all[300...] { try journal.append(entry) }
      #expect(try names(in: folder) == ["a.journal", "a.lock"])
      journal.close()
      #expect(try names(in: folder) == ["a.journal"])
      let next = try FileFlowStore(folder: folder).openJournal(of: "a")
      #expect(next.entries == all && next.repair == nil)
    }
  }

  @Test func `no two runs share a file, none leaves the folder, and each is listed`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let long = String(repeating: "long ", count: 1_000)
      let ids = [
        "a", "A", "a/b", "../a", "..", ".", "a b", "%41", "é", "e", "a\u{0}b", "日本", long, long + "a", long + "b",
        String(repeating: "x", count: 246), String(repeating: "x", count: 247), String(repeating: "x", count: 248),
        "a.lock", "a.journal", "~", "👩‍👩‍👧",
      ]
      #expect(Set(ids.map { store.file(of: $0).lastPathComponent.lowercased() }).count == ids.count)
      #expect(ids.allSatisfy { store.file(of: $0).lastPathComponent.utf8.count <= 255 })
      var journals: [any FlowJournal] = []
      for (index, id) in ids.enumerated() {
        journals.append(try store.openJournal(of: id).journal)
        try journals[index].append(Data([UInt8(index)]))
      }
      for journal in journals { journal.close() }
      for (index, id) in ids.enumerated() { #expect(try store.readJournal(of: id) == [Data([UInt8(index)])]) }
      #expect(try names(in: folder).count == ids.count)
      #expect(try names(in: folder.deletingLastPathComponent()) == ["runs"])
      #expect(try store.runIDs() == ids.sorted())
      // This is an identical text in another normalization.
      #expect(try store.readJournal(of: "e\u{301}") == store.readJournal(of: "é"))
      for id in ids { try store.removeJournal(of: id) }
      #expect(try names(in: folder).isEmpty)
      #expect(try store.runIDs().isEmpty)
    }
  }

  @Test func `files that aren't journals are no runs, and stay`() async throws {
    try await withJournalFolder { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let others = ["notes", ".journal", "A.journal", "%4.journal", "%61.journal", "a.new", "b.lock", "x~y.journal"]
      for name in others.dropLast() { try Data("notes".utf8).write(to: folder.appendingPathComponent(name)) }
      let store = FileFlowStore(folder: folder)
      #expect(try store.runIDs().isEmpty)
      // No run has an empty identifier.
      #expect(try store.readJournal(of: "") == nil)
      try store.removeJournal(of: "")
      try await store.withJournal(of: "c") { try $0.append(Data()) }
      #expect(try names(in: folder) == (others.dropLast() + ["c.journal"]).sorted())
    }
  }

  @Test func `journals are their user's alone, and so is a folder that the store makes`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      try await store.withJournal(of: "a") { journal in
        try await journal.replaceEntries(first: 0, with: entries(0..<3))
        #expect(try mode(of: folder) == 0o700)
        for name in try names(in: folder) { #expect(try mode(of: folder.appendingPathComponent(name)) == 0o600) }
      }
    }
  }

  @Test func `a store is empty before its first journal, and makes nothing for one that is only read`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      #expect(try store.runIDs().isEmpty)
      #expect(try store.readJournal(of: "a") == nil)
      try store.removeJournal(of: "a")
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }

  @Test func `what others read of a journal that is written is always its beginning`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let all = entries(0..<2_000)
      try await store.withJournal(of: "a") { journal in
        try await withThrowingTaskGroup(of: Int.self) { group in
          let isWritten = Tally()
          group.addTask {
            for (index, entry) in all.enumerated() {
              try journal.append(entry)
              if index % 500 == 0 { try await journal.replaceEntries(first: index, with: Array(all[..<index])) }
            }
            isWritten.add()
            return all.count
          }
          group.addTask {
            var (count, isLast) = (0, false)
            repeat {
              isLast = isWritten.count > 0
              let read = try #require(try store.readJournal(of: "a"))
              #expect(read.count >= count && read == Array(all[..<read.count]))
              count = read.count
              await Task.yield()
            } while !isLast
            return count
          }
          for try await count in group { #expect(count > 0) }
        }
      }
    }
  }

  @Test func `a run is removed without a look at the names of all others`() async throws {
    try await withJournalFolder { folder in
      let disk = ListedDisk()
      let store = FileFlowStore(folder: folder, disk: disk)
      for id in ["r", "r.signals", "other"] { try await store.withJournal(of: id) { try $0.append(Data([1])) } }
      for id in ["r", "r", "none"] { try store.removeJournal(of: id) }
      #expect(disk.listCount == 0)
      #expect(try names(in: folder) == ["other.journal"] && store.runIDs() == ["other"] && disk.listCount == 1)
    }
  }

  // MARK: What can't be used

  @Test func `the signals of a run go with its journal, and stay if that is held`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let mailbox = "r.signals"
      try await store.withJournal(of: mailbox) { try $0.append(Data("signal".utf8)) }
      try await store.withJournal(of: "r") { _ in
        let error = #expect(throws: FlowError.self) { try store.removeJournal(of: "r") }
        let kept = try store.readJournal(of: mailbox)
        #expect(error?.code == .runInUse && kept?.count == 1)
      }
      try store.removeJournal(of: "r")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
      // The signals of a run that has not begun are removed too.
      try await store.withJournal(of: mailbox) { try $0.append(Data("signal".utf8)) }
      try store.removeJournal(of: "r")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Test func `a folder that is a file, or can't be made, is an error that says what to do`() async throws {
    try await withJournalFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: folder)
      for place in [folder, folder.appendingPathComponent("inner"), URL(fileURLWithPath: "/dev/null/runs")] {
        let error = #expect(throws: FlowError.self) { try FileFlowStore(folder: place).openJournal(of: "a") }
        #expect(error?.code == .storeFailed && error?.problem.contains(place.path) == true)
        #expect(error?.remedy.isEmpty == false)
      }
      #expect(throws: FlowError.self) { try FileFlowStore(folder: folder).runIDs() }
      #expect(throws: FlowError.self) { try FileFlowStore(folder: folder).readJournal(of: "a") }
    }
  }

  @Test func `a folder that vanishes is an error of an append soon after, and of the next wait`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let (appending, waiting) = (try store.openJournal(of: "a").journal, try store.openJournal(of: "b").journal)
      let replacing = try store.openJournal(of: "c").journal
      for journal in [appending, waiting, replacing] { try journal.append(Data([1])) }
      try FileManager.default.removeItem(at: folder)
      let error = #expect(throws: FlowError.self) { while true { try appending.append(Data([2])) } }
      #expect(error?.code == .storeFailed && error?.problem.contains("was removed while it was in use") == true)
      await #expect(throws: FlowError.self) { try await waiting.synchronize() }
      await #expect(throws: FlowError.self) { try await replacing.replaceEntries(first: 1, with: []) }
      // The journal stays unusable, even if another folder has the same path.
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      #expect(throws: FlowError.self) { try appending.append(Data([2])) }
      await #expect(throws: FlowError.self) { try await waiting.synchronize() }
    }
  }

  @Test func `a journal that is a folder or a link is an error`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      try FileManager.default.createDirectory(at: store.file(of: "a"), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: store.file(of: "b").path, withDestinationPath: "/dev/full")
      for id in ["a", "b"] {
        #expect(throws: FlowError.self) { try store.openJournal(of: id) }
        #expect(throws: FlowError.self) { try store.readJournal(of: id) }
      }
      #expect(try names(in: folder) == ["a.journal", "b.journal"])
    }
  }

  @Test func `a pipe in the place of a journal, or of its lock, is an error, and keeps no one waiting`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      try await store.withJournal(of: "whole") { try $0.append(Data([1])) }
      #expect(mkfifo(store.file(of: "pipe").path, 0o600) == 0)
      #expect(mkfifo(folder.appendingPathComponent("locked.lock").path, 0o600) == 0)
      for id in ["pipe", "locked"] {
        let error = #expect(throws: FlowError.self) { try store.openJournal(of: id) }
        #expect(error?.code == .storeFailed && error?.problem.hasSuffix("it isn't a regular file") == true)
        #expect(error?.problem.contains(folder.path) == true && error?.remedy.contains("remove what has") == true)
      }
      #expect(throws: FlowError.self) { try store.readJournal(of: "pipe") }
      let unfinished = try await store.unfinished()
      #expect(unfinished.first { $0.id == "pipe" }?.error?.code == .storeFailed)
    }
  }

  @Test func `a file that is larger than the memory is an error, and hides no other run`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      try await store.withJournal(of: "whole") { try $0.append(Data([1])) }
      let file = store.file(of: "large")
      try Data("text".utf8).write(to: file)
      #expect(truncate(file.path, 1 << 43) == 0)
      for use in [{ _ = try store.openJournal(of: "large") }, { _ = try store.readJournal(of: "large") }] {
        let error = #expect(throws: FlowError.self) { try use() }
        #expect(error?.code == .unreadableJournal && error?.problem.contains("doesn't begin as a journal does") == true)
      }
      let unfinished = try await store.unfinished()
      #expect(unfinished.map(\.id) == ["large", "whole"] && unfinished.first?.error?.code == .unreadableJournal)
    }
  }

  @Test func `an empty identifier is an error that says so, and makes no file`() async throws {
    try await withJournalFolder { folder in
      let ran = Tally()
      let stores: [any FlowStore] = [FileFlowStore(folder: folder), MemoryFlowStore()]
      for store in stores {
        #expect(throws: FlowError.self) { try store.openJournal(of: "") }
        let error = await Flow("Named").add("a") { _ in ran.add() }.run(id: "", in: store).error as? FlowError
        #expect(error?.code == .storeFailed && error?.problem.contains("empty identifier") == true)
        #expect(error?.flow == "Named" && error?.remedy.contains("an id that names this run alone") == true)
        let ids = try store.runIDs()
        #expect(ids.isEmpty)
      }
      #expect(ran.count == 0 && !FileManager.default.fileExists(atPath: folder.path))
    }
  }

  // MARK: Closing

  @Test func `after it is closed, a journal refuses everything`() async throws {
    try await withJournalFolder { folder in
      let journal = try FileFlowStore(folder: folder).openJournal(of: "a").journal
      try journal.append(Data([1]))
      journal.close()
      journal.close()
      #expect(throws: FlowError.self) { try journal.append(Data([2])) }
      await #expect(throws: FlowError.self) { try await journal.synchronize() }
      await #expect(throws: FlowError.self) { try await journal.replaceEntries(first: 1, with: []) }
      #expect(try FileFlowStore(folder: folder).readJournal(of: "a") == [Data([1])])
    }
  }

  @Test func `a journal that is closed as soon as a wait has ended can be opened at once`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      for number in 0..<50 {
        let opened = try store.openJournal(of: "a")
        #expect(opened.entries.count == number)
        try opened.journal.append(Data([UInt8(number)]))
        try await opened.journal.synchronize()
        opened.journal.close()
      }
    }
  }
}

/// The system's disk, which counts how often names are listed.
private final class ListedDisk: Disk {
  private let disk = SystemDisk()
  private let count = Locked(0)
  var listCount: Int { count.withLock { $0 } }

  func names(in folder: String) throws(FileFault) -> [String] {
    count.withLock { $0 += 1 }
    return try disk.names(in: folder)
  }
  func makeFolder(_ path: String) throws { try disk.makeFolder(path) }
  func synchronizeFolder(_ path: String) throws(FileFault) { try disk.synchronizeFolder(path) }
  func open(_ path: String, _ mode: DiskMode) throws(FileFault) -> any DiskFile { try disk.open(path, mode) }
  func rename(_ path: String, to other: String) throws(FileFault) { try disk.rename(path, to: other) }
  func remove(_ path: String) throws(FileFault) { try disk.remove(path) }
}
