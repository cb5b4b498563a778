import Foundation
import OperationFlowStorage
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// How much of a journal is read by those who need its ends, or what is new.
@Suite(.watched) struct PartlyReadTests {
  private static let number: FlowSignal<Int> = "number"

  /// The disk of the system, which counts what is read.
  private final class CountingDisk: Disk {
    private let disk = SystemDisk()
    let readBytes = Locked(0)

    private final class File: DiskFile {
      let file: any DiskFile
      let disk: CountingDisk
      init(_ file: any DiskFile, _ disk: CountingDisk) { (self.file, self.disk) = (file, disk) }
      var path: String { file.path }
      var size: Int { get throws(FileFault) { try file.size } }
      var isLinked: Bool { file.isLinked }
      func hold() -> FileDescriptor.Hold { file.hold() }
      func letGo() { file.letGo() }
      func read(_ count: Int, at offset: Int) throws(FileFault) -> [UInt8] {
        let bytes = try file.read(count, at: offset)
        disk.readBytes.withLock { $0 += bytes.count }
        return bytes
      }
      func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileFault) -> Int {
        try file.write(bytes, at: offset)
      }
      func truncate(to size: Int) throws(FileFault) { try file.truncate(to: size) }
      func synchronize() throws(FileFault) { try file.synchronize() }
    }

    func makeFolder(_ path: String) throws { try disk.makeFolder(path) }
    func names(in folder: String) throws(FileFault) -> [String] { try disk.names(in: folder) }
    func synchronizeFolder(_ path: String) throws(FileFault) { try disk.synchronizeFolder(path) }
    func open(_ path: String, _ mode: DiskMode) throws(FileFault) -> any DiskFile {
      File(try disk.open(path, mode), self)
    }
    func rename(_ path: String, to other: String) throws(FileFault) { try disk.rename(path, to: other) }
    func remove(_ path: String) throws(FileFault) { try disk.remove(path) }

    /// How many bytes are read while a closure runs.
    func counting(_ body: () async throws -> Void) async rethrows -> Int {
      let before = readBytes.withLock { $0 }
      try await body()
      return readBytes.withLock { $0 } - before
    }
  }

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
