import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowStorage
import TestSupport
import Testing

/// The calls that write a file to the disk, on a platform where a plain flush leaves the data in the disk's own memory.
@Suite(.watched) struct DiskFlushTests {
  @Test func `a full flush that succeeds is enough`() {
    let flush = Flush([0])
    #expect(flush.code == 0)
    #expect(flush.made == [.full])
  }

  @Test(arguments: [EIO, ENOSPC, EBADF, EROFS])
  func `a full flush that fails is not followed by a plain one, which may succeed`(code: Int32) {
    let flush = Flush([code, 0])
    #expect(flush.code == code)
    #expect(flush.made == [.full])
  }

  @Test(arguments: [ENOTSUP, EINVAL, ENOTTY])
  func `a file system that doesn't support full flushes gets a plain one`(code: Int32) {
    let flush = Flush([code, 0])
    #expect(flush.code == 0)
    #expect(flush.made == [.full, .plain])
    #expect(Flush([code, EIO]).code == EIO)
    #expect(Flush([code, code]).code == 0, "there is nothing to do for some folders")
  }

  @Test func `a call that a signal interrupts is made again`() {
    let flush = Flush([EINTR, EINTR, ENOTSUP, EINTR, 0])
    #expect(flush.code == 0)
    #expect(flush.made == [.full, .full, .full, .plain, .plain])
    #expect(Flush([EINTR, EIO, 0]).code == EIO)
  }

  // MARK: Journals

  @Test(arguments: [ENOTSUP, EINVAL, ENOTTY])
  func `a journal is on the disk if its file system supports plain flushes only`(code: Int32) async throws {
    let disk = SimulatedDisk(seed: 1, faults: .init(refusal: code))
    try await append(to: disk)
    #expect(try entries(of: disk.restarted(afterPowerFailure: true)) == [Data([1])])
  }

  @Test func `a journal is on the disk after signals`() async throws {
    let disk = SimulatedDisk(seed: 1, faults: .init(interrupted: 2))
    try await append(to: disk)
    #expect(try entries(of: disk.restarted(afterPowerFailure: true)) == [Data([1])])
  }

  @Test func `a journal whose flush fails says so, and never that its entries are on the disk`() async throws {
    let disk = SimulatedDisk(seed: 1)
    let journal = try FileFlowStore(folder: Self.folder, disk: disk).openJournal(of: "a").journal
    try journal.append(Data([1]))
    disk.setFaults(.init(broken: 1))
    await #expect(throws: FlowError.self) { try await journal.synchronize() }
    disk.setFaults(.init())
    await #expect(throws: FlowError.self) { try await journal.synchronize() }
  }

  private static let folder = URL(fileURLWithPath: "/runs")

  private func append(to disk: SimulatedDisk) async throws {
    let journal = try FileFlowStore(folder: Self.folder, disk: disk).openJournal(of: "a").journal
    try journal.append(Data([1]))
    try await journal.synchronize()
  }

  private func entries(of disk: SimulatedDisk) throws -> [Data]? {
    try FileFlowStore(folder: Self.folder, disk: disk).readJournal(of: "a")
  }
}

/// A flush whose calls have these results, one after the other.
private struct Flush {
  private(set) var code: Int32 = 0
  private(set) var made: [DiskFlush.Call] = []

  init(_ results: [Int32]) {
    var made: [DiskFlush.Call] = []
    code = DiskFlush.flush(with: [.full, .plain]) { call in
      made.append(call)
      return results[made.count - 1]
    }
    self.made = made
  }
}
