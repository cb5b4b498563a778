import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable
@testable import OperationFlowStorage

/// The files and threads of a journal in files.
@Suite(.watched) struct FileFlowJournalTests {
  @Test func `a journal that is closed has closed its files, even if it is kept`() async throws {
    try await withJournalFolder { folder in
      let journal = try #require(try FileFlowStore(folder: folder).openJournal(of: "a").journal as? FileFlowJournal)
      try journal.append(Data([1]))
      weak var file: (any DiskFile)?
      file = journal.state.withLock { $0.file }
      #expect(file != nil)
      try await journal.synchronize()
      journal.close()
      // The thread that synchronized the file may still be about to return.
      while file != nil { await Task.yield() }
      #expect(throws: FlowError.self) { try journal.append(Data([2])) }
    }
  }

  @Test func `the system's error of a full disk is passed on`() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let fault = #expect(throws: FileFault.self) {
      try FileDescriptor("/dev/full", O_WRONLY, to: "open").write(Data([1, 2, 3]))
    }
    #expect(fault?.code == ENOSPC)
    let error = FlowError.journalFailed("a", try #require(fault))
    #expect(error.code == .storeFailed && error.problem.hasSuffix("can't write /dev/full: No space left on device"))
    #expect(error.remedy.hasPrefix("Free space on its disk"))
  }

  @Test func `those who wait at the same time share the work`() async throws {
    let syncs = Tally()
    let (isHeld, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isHolding = Locked(false)
    let disk = SimulatedDisk(seed: 1) { operation, path in
      guard operation == "synchronize", path.hasPrefix("/runs/a."), isHolding.withLock({ $0 }) else { return }
      syncs.add()
      if syncs.count == 1 {
        isHeld.signal()
        isReleased.wait()
      }
    }
    let opened = try FileFlowStore(folder: URL(fileURLWithPath: "/runs"), disk: disk).openJournal(of: "a")
    let file = try #require(opened.journal as? FileFlowJournal)
    isHolding.withLock { $0 = true }
    try file.append(Data([1]))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await file.synchronize() }
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          isHeld.wait()
          continuation.resume()
        }
      }
      for number in 0..<100 {
        try file.append(Data([UInt8(number)]))
        group.addTask { try await file.synchronize() }
      }
      while file.state.withLock({ $0.waiters.count }) < 100 { await Task.yield() }
      isReleased.signal()
      try await group.waitForAll()
    }
    #expect(syncs.count == 2)
  }
}
