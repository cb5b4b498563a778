import Foundation
import OperationFlowStorage
import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.watched) struct FileProgressionStoreTests {
  @Test func `it keeps the last step of each key, and forgets it`() async throws {
    try await withJournalFolder { directory in
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
    try await withJournalFolder { directory in
      let store = FileProgressionStore(directory: directory)
      let long = String(repeating: "long ", count: 1_000)
      let keys = [
        "a", "A", "a/b", "../a", "..", ".", "", "a b", "%41", "é", "e\u{301}", "a\u{0}b", "日本", long, long + "a",
        long + "b", String(repeating: "x", count: 245), String(repeating: "x", count: 246),
      ]
      let files = keys.map { store.file(of: $0) }
      #expect(Set(files.map { $0.lastPathComponent.lowercased() }).count == keys.count)
      for (index, key) in keys.enumerated() { try await store.save(Data([UInt8(index)]), under: key) }
      for (index, key) in keys.enumerated() { #expect(try await store.load(key) == Data([UInt8(index)])) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == keys.count)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory.deletingLastPathComponent().path) == ["runs"])
    }
  }

  @Test func `what it can't write or read is an error, and no missing step`() async throws {
    try await withJournalFolder { directory in
      try FileManager.default.createDirectory(
        at: directory.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: directory)
      let store = FileProgressionStore(directory: directory)
      await #expect(throws: (any Error).self) { try await store.save(Data(), under: "a") }
      let flow = Flow().progress("send", store: store, as: "a") { _ in Parcel.packed("a") }
      #expect(await flow.run().code == .storeFailed)
    }
    try await withJournalFolder { directory in
      let store = FileProgressionStore(directory: directory)
      try FileManager.default.createDirectory(at: store.file(of: "a"), withIntermediateDirectories: true)
      await #expect(throws: (any Error).self) { try await store.load("a") }
      let fault = await #expect(throws: FileFault.self) { try await store.clear("a") }
      #expect(fault?.description.hasPrefix("can't remove \(store.file(of: "a").path): ") == true)
    }
  }

  @Test func `the error of a step that can't be loaded has the file and the reason`() async throws {
    try await withJournalFolder { directory in
      let store = FileProgressionStore(directory: directory)
      try FileManager.default.createDirectory(at: store.file(of: "folder"), withIntermediateDirectories: true)
      #expect(mkfifo(store.file(of: "pipe").path, 0o600) == 0)
      let file = directory.appendingPathComponent("file")
      try Data().write(to: file)
      for (store, key, reason) in [
        (store, "folder", "it isn't a regular file"), (store, "pipe", "it isn't a regular file"),
        (FileProgressionStore(directory: file), "a", "Not a directory"),
      ] {
        let flow = Flow().progress("send", store: store, as: key) { _ in Parcel.packed("a") }
        let error = await flow.run().error as? FlowError
        let path = store.file(of: key).path
        #expect(error?.code == .storeFailed && error?.problem.hasSuffix(" \(path): \(reason)") == true)
      }
    }
  }

  private func mode(of url: URL) throws -> Int? {
    (try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test func `steps are their user's alone, and so is a directory that it makes`() async throws {
    try await withJournalFolder { directory in
      let store = FileProgressionStore(directory: directory)
      try await store.save(Data(), under: "a")
      #expect(try mode(of: directory) == 0o700)
      #expect(try mode(of: store.file(of: "a")) == 0o600)
    }
  }

  @Test func `in a directory that was there before, steps are their user's alone too`() async throws {
    try await withJournalFolder { directory in
      let store = FileProgressionStore(directory: directory)
      let open: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true, attributes: open)
      let file = store.file(of: "a")
      let isMade = FileManager.default.createFile(
        atPath: file.path, contents: Data("1".utf8), attributes: [.posixPermissions: 0o644])
      try await store.save(Data("2".utf8), under: "a")
      #expect(isMade)
      #expect(try mode(of: directory) == 0o755)
      #expect(try mode(of: file) == 0o600)
      let pending = try PendingFile(in: directory.path)
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      let saving = try #require(names.first { $0.hasPrefix(".saving-") })
      #expect(try mode(of: directory.appendingPathComponent(saving)) == 0o600)
      try pending.write(Data())
    }
  }

  @Test func `a file that was cut or changed anywhere is an error, and no other step`() async throws {
    try await withJournalFolder { directory in
      let store = FileProgressionStore(directory: directory)
      try await store.save(Data("123".utf8), under: "a")
      let file = store.file(of: "a")
      let whole = try Data(contentsOf: file)
      var damaged = (0..<whole.count).map { Data(whole.prefix($0)) }
      for index in 0..<whole.count {
        for bit in 0..<8 {
          var changed = whole
          changed[index] ^= 1 << bit
          damaged.append(changed)
        }
      }
      damaged += [whole + Data("4".utf8), Data(count: whole.count)]
      for contents in damaged {
        try contents.write(to: file)
        let error = await #expect(throws: FlowError.self, "\(contents.map { $0 })") { try await store.load("a") }
        #expect(error?.code == .unreadableStep && error?.key == "a")
        #expect(try Data(contentsOf: file) == contents)
      }
      try whole.write(to: file)
      #expect(try await store.load("a") == Data("123".utf8))
    }
  }

  @Test func `a flow over a damaged file fails with what to do, and goes on once that is done`() async throws {
    try await withJournalFolder { directory in
      let store = FileProgressionStore(directory: directory)
      try await store.save(try JSONEncoder().encode(Parcel.signed("secret", by: 1)), under: "p")
      let file = store.file(of: "p")
      try Data(contentsOf: file).dropLast(1).write(to: file)
      let flow = Flow("Post").progress("send", into: .receipt, store: store, as: "p") { _ in Parcel.packed("a") }
      let error = try #require(await flow.run().error as? FlowError)
      #expect(error.code == .unreadableStep && error.key == "p" && error.flow == "Post" && error.step == "[send]")
      #expect(error.problem.hasPrefix("what is stored as <p> is damaged: it holds "))
      #expect(error.remedy.contains("clear <p> in the store to begin anew") && error.remedy.contains(file.path))
      #expect(!"\(error)".contains("secret"))
      try await store.clear("p")
      #expect(try await flow.run().get()[.receipt] == "a!")
    }
  }

  @Test func `a file of an earlier version is read as it is, and gets its checksum when it is written`() async throws {
    try await withJournalFolder { directory in
      let store = FileProgressionStore(directory: directory)
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      for text in [#"{"signed":{"_0":"a","by":1}}"#, "[1]", "12", "-1", "\"a\"", "true", "false", "null", " 1", "\n1"] {
        try Data(text.utf8).write(to: store.file(of: "a"))
        #expect(try await store.load("a") == Data(text.utf8))
        try await store.save(Data(text.utf8), under: "a")
        #expect(try Data(contentsOf: store.file(of: "a")).starts(with: "OperationFlow step 1 \(text.utf8.count) ".utf8))
        #expect(try await store.load("a") == Data(text.utf8))
      }
    }
  }

  @Test func `a file of a later version is an error that says so`() async throws {
    try await withJournalFolder { directory in
      let store = FileProgressionStore(directory: directory)
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try Data("OperationFlow step 2 zstd 3\nabc".utf8).write(to: store.file(of: "a"))
      let error = await #expect(throws: FlowError.self) { try await store.load("a") }
      #expect(error?.problem == "what is stored as <a> has the format 2, which isn't known here")
      #expect(error?.remedy.hasPrefix("Go on with the version of the library that wrote ") == true)
    }
  }

  @Test func `a process that dies in the middle has lost nothing`() async throws {
    let directory = Crash.directory(of: ProcessInfo.processInfo.processIdentifier)
    // A process with the same number may have ended before it removed its folder.
    try? FileManager.default.removeItem(at: directory)
    defer { try? FileManager.default.removeItem(at: directory) }
    await #expect(processExitsWith: .exitCode(9)) {
      // The parent process waits for this one, and reads its files.
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

/// A run that stores its steps as files, and records the work that was done in another file.
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
