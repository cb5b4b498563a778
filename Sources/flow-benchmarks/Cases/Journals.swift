import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowStorage

extension Benchmark {
  private static let entryCount = 100_000
  private static let syncCount = 300
  private static let entry = Data(repeating: UInt8(ascii: "e"), count: 100)
  /// As many bytes as the entry has in a journal's file.
  private static let record = Data(repeating: UInt8(ascii: "e"), count: 116)

  /// An entry of a journal, which is one system call, compared with that call.
  static let journalAppend = Benchmark(
    name: "an entry of 100 bytes in a journal", unitCount: entryCount, baseline: "write(2)",
    peers: [
      Peer("write(2)") {
        JournalFiles.withFile { file in for _ in 0..<entryCount { try file.write(record) } }
      },
      Peer("append(_:)", limit: 2) {
        await JournalFiles.withJournal { journal in for _ in 0..<entryCount { try journal.append(entry) } }
      },
    ])

  /// An entry that is on the disk, compared with a write and an fsync, also for many tasks whose entries share these.
  static let journalSynchronize = Benchmark(
    name: "an entry of 100 bytes on the disk", unitCount: syncCount, baseline: "write(2) and fsync(2)",
    peers: [
      Peer("write(2) and fsync(2)") {
        JournalFiles.withFile { file in
          for _ in 0..<syncCount {
            try file.write(record)
            try file.synchronize()
          }
        }
      },
      Peer("append(_:) and synchronize()", limit: 1.2) {
        await JournalFiles.withJournal { journal in
          for _ in 0..<syncCount {
            try journal.append(entry)
            try await journal.synchronize()
          }
        }
      },
      Peer("all of them waiting at once", limit: 0.2) {
        await JournalFiles.withJournal { journal in
          try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<syncCount {
              try journal.append(entry)
              group.addTask { try await journal.synchronize() }
            }
            try await group.waitForAll()
          }
        }
      },
    ])
}

/// Files in a temporary folder, all prepared alike, so that only the measured work differs.
private enum JournalFiles {
  static func withFile(_ body: (borrowing FileDescriptor) throws -> Void) {
    inFolder { folder in
      try Folder.make(folder)
      let path = folder.appendingPathComponent("file").path
      let file = try FileDescriptor(path, O_WRONLY | O_CREAT, to: "make")
      try file.synchronize()
      try body(file)
    }
  }

  static func withJournal(_ body: (any FlowJournal) async throws -> Void) async {
    await inFolder { folder in
      let journal = try FileFlowStore(folder: folder).openJournal(of: "benchmark").journal
      try await body(journal)
      journal.close()
    }
  }

  private static func inFolder(_ body: (URL) throws -> Void) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(UUID().uuidString)")
    do { try body(folder) } catch { print("The files could not be written: \(error)") }
    try? FileManager.default.removeItem(at: folder)
  }

  private static func inFolder(_ body: (URL) async throws -> Void) async {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(UUID().uuidString)")
    do { try await body(folder) } catch { print("The files could not be written: \(error)") }
    try? FileManager.default.removeItem(at: folder)
  }
}
