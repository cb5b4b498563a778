import Foundation
import OperationFlowStorage
import TestSupport
import Testing

@testable import OperationFlowProgressions

/// Checks the files that remain if saving doesn't end.
@Suite(.watched) struct PendingFileTests {
  private func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("saving-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try await body(directory)
  }

  private static func names(in directory: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  @Test func `a file that does not take the place of another is gone with its last use`() async throws {
    try await withDirectory { directory in
      func begin() throws {
        let pending = try PendingFile(in: directory.path)
        try pending.write(Data([1]))
        #expect(try Self.names(in: directory).count == 1)
      }
      try begin()
      #expect(try Self.names(in: directory).isEmpty)
      let missing = directory.appendingPathComponent("missing/file").path
      func replaceNothing() throws {
        let pending = try PendingFile(in: directory.path)
        try pending.replace(missing)
      }
      #expect(throws: FileFault.self) { try replaceNothing() }
      #expect(try Self.names(in: directory).isEmpty)
    }
  }

  @Test func `what was left is gone after a save and after a clear, and what is somebody else's stays`() async throws {
    try await withDirectory { directory in
      let store = FileProgressionStore(directory: directory)
      let left = [".saving-1", ".saving-abc"].map { directory.appendingPathComponent($0) }
      let others = ["notes", "saving-1", ".saved"].map { directory.appendingPathComponent($0) }
      for file in others { try Data([1]).write(to: file) }
      for use in 0..<4 {
        for file in left { try Data([1]).write(to: file) }
        if use % 2 == 0 { try await store.save(Data([1]), under: "a") } else { try await store.clear("a") }
        let names = try Self.names(in: directory)
        #expect(names == (others.map(\.lastPathComponent) + (use % 2 == 0 ? ["a.step.json"] : [])).sorted())
      }
    }
  }

  @Test func `in a directory of many files, what was left is gone after as many saves at the latest`() async throws {
    try await withDirectory { directory in
      let store = FileProgressionStore(directory: directory)
      for number in 0..<50 { try Data().write(to: directory.appendingPathComponent("\(number)")) }
      try await store.save(Data(), under: "a")
      let left = directory.appendingPathComponent(".saving-1")
      try Data().write(to: left)
      var saves = 0
      while FileManager.default.fileExists(atPath: left.path), saves <= 51 {
        try await store.save(Data(), under: "a")
        saves += 1
      }
      #expect((2...51).contains(saves))
    }
  }

  @Test func `what is being written stays, and takes its place`() async throws {
    try await withDirectory { directory in
      let store = FileProgressionStore(directory: directory)
      let pending = try PendingFile(in: directory.path)
      try await store.save(Data("1".utf8), under: "a")
      try await store.clear("b")
      try pending.write(StepFile.contents(for: Data("2".utf8)))
      try pending.replace(store.file(of: "a").path)
      #expect(try await store.load("a") == Data("2".utf8))
      #expect(try Self.names(in: directory) == ["a.step.json"])
    }
  }

  @Test func `many that save and clear the same directory at once lose nothing`() async throws {
    try await withDirectory { directory in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let store = FileProgressionStore(directory: directory)
            for step in 0..<10 {
              try await store.save(Data("\(step)".utf8), under: "\(number)")
              try await store.clear("none")
              #expect(try await store.load("\(number)") == Data("\(step)".utf8))
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try Self.names(in: directory) == (0..<8).map { "\($0).step.json" })
    }
  }

  // MARK: Processes that are killed

  /// The folder of a process, from whose number its child makes the same path.
  private static func directory(of process: Int32, _ name: String) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(process)")
  }

  @Test func `what a process leaves that is killed with a step half written is removed by the next`() async throws {
    let directory = Self.directory(of: ProcessInfo.processInfo.processIdentifier, "half-written")
    // A process with the same number may have ended before it removed its folder.
    try? FileManager.default.removeItem(at: directory)
    defer { try? FileManager.default.removeItem(at: directory) }
    let store = FileProgressionStore(directory: directory)
    try await store.save(Data("1".utf8), under: "a")
    await #expect(processExitsWith: .signal(SIGKILL)) {
      let directory = PendingFileTests.directory(of: getppid(), "half-written")
      let pending = try PendingFile(in: directory.path)
      try pending.write(Data("OperationFlow step 1".utf8))
      kill(getpid(), SIGKILL)
      // Never reached: it retains the file, which would otherwise be removed before the signal.
      try pending.write(Data())
    }
    let left = try Self.names(in: directory).filter { $0.hasPrefix(".saving-") }
    #expect(left.count == 1)
    #expect(try await store.load("a") == Data("1".utf8))
    try await store.clear("b")
    #expect(try Self.names(in: directory) == ["a.step.json"])
    #expect(try await store.load("a") == Data("1".utf8))
  }

  @Test func `a process that is killed at any moment of saving leaves a whole step, and in the end nothing else`()
    async throws
  {
    let directory = Self.directory(of: ProcessInfo.processInfo.processIdentifier, "killed")
    // A process with the same number may have ended before it removed its folder.
    try? FileManager.default.removeItem(at: directory)
    defer { try? FileManager.default.removeItem(at: directory) }
    for _ in 0..<3 {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        let store = FileProgressionStore(directory: PendingFileTests.directory(of: getppid(), "killed"))
        let isSaved = DispatchSemaphore(value: 0)
        // The signal arrives at any time during a save.
        Thread.detachNewThread {
          isSaved.wait()
          for _ in 0..<Int.random(in: 0..<100_000) { _ = getppid() }
          kill(getpid(), SIGKILL)
        }
        while true {
          for digit in UInt8(ascii: "0")...UInt8(ascii: "9") {
            try await store.save(Data(repeating: digit, count: 20_000), under: "a")
            isSaved.signal()
          }
        }
      }
      let store = FileProgressionStore(directory: directory)
      let step = try #require(try await store.load("a"))
      #expect(step.count == 20_000 && Set(step).count == 1)
      try await store.clear("b")
      #expect(try Self.names(in: directory) == ["a.step.json"])
    }
  }
}
