import Foundation
import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.watched) struct FileProgressionStoreTests {
  /// A directory that isn't there yet, and is removed at the end.
  private func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let parent = FileManager.default.temporaryDirectory.appendingPathComponent("progressions-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: parent) }
    try await body(parent.appendingPathComponent("steps"))
  }

  @Test func `it keeps the last step of each key, and forgets it`() async throws {
    try await withDirectory { directory in
      let store = FileProgressionStore(directory: directory)
      #expect(try await store.load("a") == nil)
      try await store.clear("a")
      try await store.save(Data([1]), under: "a")
      try await store.save(Data([2]), under: "a")
      try await store.save(Data([3]), under: "b")
      #expect(try await FileProgressionStore(directory: directory).load("a") == Data([2]))
      try await store.clear("a")
      #expect(try await store.load("a") == nil)
      #expect(try await store.load("b") == Data([3]))
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["b.step.json"])
    }
  }

  @Test func `no two keys share a file, and none leaves the directory`() async throws {
    try await withDirectory { directory in
      let store = FileProgressionStore(directory: directory)
      let keys = ["a", "A", "a/b", "../a", "..", ".", "", "a b", "%41", "é", "e\u{301}", "a\u{0}b", "日本"]
      let files = keys.map { store.file(of: $0) }
      #expect(Set(files.map { $0.lastPathComponent.lowercased() }).count == keys.count)
      for (index, key) in keys.enumerated() { try await store.save(Data([UInt8(index)]), under: key) }
      for (index, key) in keys.enumerated() { #expect(try await store.load(key) == Data([UInt8(index)])) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == keys.count)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory.deletingLastPathComponent().path) == ["steps"])
    }
  }

  @Test func `what it can't write or read is an error, and no missing step`() async throws {
    try await withDirectory { directory in
      try FileManager.default.createDirectory(
        at: directory.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: directory)
      let store = FileProgressionStore(directory: directory)
      await #expect(throws: (any Error).self) { try await store.save(Data(), under: "a") }
      await #expect(throws: (any Error).self) { try await store.load(String(repeating: "a", count: 300)) }
      let flow = Flow().progress("send", store: store, as: "a") { _ in Parcel.packed("a") }
      #expect(await flow.run().code == .storeFailed)
    }
  }

  @Test func `a directory that it makes is its user's alone`() async throws {
    try await withDirectory { directory in
      try await FileProgressionStore(directory: directory).save(Data(), under: "a")
      let mode = try FileManager.default.attributesOfItem(atPath: directory.path)[.posixPermissions] as? NSNumber
      #expect(mode?.intValue == 0o700)
    }
  }

  @Test func `a process that dies in the middle has lost nothing`() async throws {
    let directory = Crash.directory(of: ProcessInfo.processInfo.processIdentifier)
    defer { try? FileManager.default.removeItem(at: directory) }
    await #expect(processExitsWith: .exitCode(9)) {
      // Whoever started this process waits for it, and looks at what it leaves.
      let crash = Crash(directory: Crash.directory(of: getppid()))
      _ = await crash.run { step in if step == "signed" { exit(9) } }
    }
    let crash = Crash(directory: directory)
    #expect(try crash.work == ["packed", "sent"])
    #expect(await crash.run().report[.receipt] == "a!")
    #expect(try crash.work == ["packed", "sent", "signed"])
    #expect(await crash.run { _ in }.report.steps().first == "packed")
  }
}

/// A run that stores its steps as files, and notes the work that was done beside them.
private struct Crash {
  let directory: URL

  static func directory(of process: Int32) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("progressions-crash-\(process)")
  }

  private var journal: URL { directory.appendingPathComponent("work") }

  var work: [String] {
    get throws { try String(contentsOf: journal, encoding: .utf8).split(separator: "\n").map(String.init) }
  }

  func run(before: @escaping @Sendable (String) -> Void = { _ in }) async -> FlowOutcome {
    let journal = journal
    let store = FileProgressionStore(directory: directory)
    return await Parcel.$work.withValue({ step in
      before(step)
      let done = (try? Data(contentsOf: journal)) ?? Data()
      try (done + Data("\(step)\n".utf8)).write(to: journal)
    }) {
      await Flow().progress("send", into: .receipt, store: store, as: "parcel") { _ in Parcel.packed("a") }.run()
    }
  }
}
