import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Files that were cut or changed: the entries that are read are right, or the file is refused.
@Suite(.watched) struct JournalDamageTests {
  private let entries = [
    Data("first".utf8), Data(), Data((0..<40).map { UInt8($0) }), Data(repeating: 0, count: 30), Data("last".utf8),
  ]

  /// Returns the bytes of a closed journal.
  private func journal(
    in folder: URL, _ write: (any FlowJournal, [Data]) async throws -> Void
  ) async throws -> (store: FileFlowStore, file: URL, whole: Data) {
    let store = FileFlowStore(folder: folder)
    try await store.withJournal(of: "run 1") { try await write($0, entries) }
    let file = store.file(of: "run 1")
    return (store, file, try Data(contentsOf: file))
  }

  /// Opens a journal.
  ///
  /// If it is refused, checks the error, which names the file, and returns `nil`.
  private func open(_ store: FileFlowStore, _ file: URL) throws -> (entries: [Data], repair: String?)? {
    let contents = try Data(contentsOf: file)
    do {
      let opened = try store.openJournal(of: "run 1")
      defer { opened.journal.close() }
      return (opened.entries, opened.repair)
    } catch let error as FlowError {
      #expect(error.code == .unreadableJournal)
      #expect(error.problem.contains(file.path) && error.problem.contains(" at byte "))
      #expect(try Data(contentsOf: file) == contents)
      return nil
    }
  }

  @Test func `cut at any byte, a journal that was not synchronized has its complete entries, and says what is missing`()
    async throws
  {
    try await withJournalFolder { folder in
      let (store, file, whole) = try await journal(in: folder) { journal, entries in
        for entry in entries { try journal.append(entry) }
      }
      let header = JournalHeader(id: "run 1", salt: 0).length
      let ends = entries.reduce(into: [header]) { $0.append($0[$0.count - 1] + JournalFormat.recordLength + $1.count) }
      #expect(ends.last == whole.count)
      for count in 0..<whole.count {
        try whole.prefix(count).write(to: file)
        guard let found = try open(store, file) else {
          #expect(count < header, "\(count)")
          continue
        }
        let complete = ends.filter { $0 <= count }.count - 1
        #expect(found.entries == Array(entries[..<complete]) && complete >= 0)
        #expect((found.repair == nil) == ends.contains(count))
        #expect(found.repair?.contains("at byte \(ends[complete]),") ?? true)
        #expect(try Data(contentsOf: file).count == ends[complete])
        // Entries that are appended after a repair can be read as well.
        try await store.withJournal(of: "run 1") { try $0.append(Data("next".utf8)) }
        #expect(try store.readJournal(of: "run 1") == entries[..<complete] + [Data("next".utf8)])
      }
    }
  }

  @Test func `cut at any byte, a journal whose entries were replaced is refused`() async throws {
    try await withJournalFolder { folder in
      let (store, file, whole) = try await journal(in: folder) { journal, entries in
        try await journal.replaceEntries(first: 0, with: entries)
      }
      for count in 0..<whole.count {
        try whole.prefix(count).write(to: file)
        #expect(try open(store, file) == nil, "\(count)")
      }
    }
  }

  @Test(arguments: [false, true])
  func `with any bit changed, a journal is refused, whether its entries were replaced or not`(
    isReplaced: Bool
  ) async throws {
    try await withJournalFolder { folder in
      let (store, file, whole) = try await journal(in: folder) { journal, entries in
        for entry in entries where !isReplaced { try journal.append(entry) }
        if isReplaced { try await journal.replaceEntries(first: 0, with: entries) }
      }
      for index in TestSettings.sample(80, of: whole.indices) {
        for bit in 0..<8 {
          var changed = whole
          changed[index] ^= 1 << bit
          try changed.write(to: file)
          #expect(try open(store, file) == nil, "\(index), \(bit)")
        }
      }
    }
  }

  @Test func `what was on the disk before another entry was written is no sector that a power failure has lost`()
    async throws
  {
    try await withJournalFolder { folder in
      // Each entry is longer than a sector, and looks like lost sectors.
      let large = (0..<2).map { _ in Data(count: 1_040) }
      for isSynchronized in [true, false] {
        let (store, file, whole) = try await journal(in: folder) { journal, _ in
          for entry in large {
            if isSynchronized { try await journal.synchronize() }
            try journal.append(entry)
          }
        }
        let lastStart = whole.count - JournalFormat.recordLength - 1_040
        for index in TestSettings.sample(400, of: whole.indices) {
          var changed = whole
          changed[index] = ~changed[index]
          try changed.write(to: file)
          let found = try open(store, file)
          if isSynchronized { #expect(found == nil || index >= lastStart, "\(index)") }
          if let found { #expect(found.entries.allSatisfy { $0.count == 1_040 } && found.repair != nil) }
        }
        try store.removeJournal(of: "run 1")
      }
    }
  }

  @Test func `sectors that a power failure has lost of what was not synchronized are cut off with all that follows`()
    async throws
  {
    try await withJournalFolder { folder in
      let large = (0..<4).map { Data(repeating: UInt8($0 + 1), count: 1_000) }
      let (store, file, whole) = try await journal(in: folder) { journal, _ in
        for entry in large { try journal.append(entry) }
      }
      for sector in 1..<(whole.count / 512) {
        var changed = whole
        changed.replaceSubrange(sector * 512..<(sector + 1) * 512, with: Data(count: 512))
        try changed.write(to: file)
        let found = try #require(try open(store, file))
        #expect(found.entries == Array(large[..<found.entries.count]) && found.repair != nil)
      }
    }
  }

  @Test func `bytes of another journal, or of another place in this one, are damage`() async throws {
    try await withJournalFolder { folder in
      let (store, file, whole) = try await journal(in: folder) { journal, entries in
        for _ in 0..<2 { try journal.append(entries[0]) }
      }
      let length = JournalFormat.recordLength + entries[0].count
      try (whole + whole.suffix(length)).write(to: file)
      #expect(try open(store, file) == nil)
      try whole.write(to: file)
      try await store.withJournal(of: "other") { journal in
        for _ in 0..<3 { try journal.append(entries[0]) }
      }
      let other = try Data(contentsOf: store.file(of: "other"))
      #expect(other.count == whole.count + length)
      try (whole + other.suffix(length)).write(to: file)
      #expect(try open(store, file) == nil)
    }
  }

  @Test func `a file under another run's name, of a later format, or of something else is refused`() async throws {
    try await withJournalFolder { folder in
      let (store, file, whole) = try await journal(in: folder) { journal, entries in try journal.append(entries[0]) }
      try whole.write(to: store.file(of: "other"))
      let foreign = #expect(throws: FlowError.self) { try store.openJournal(of: "other") }
      #expect(foreign?.code == .unreadableJournal && foreign?.problem.contains("is that of the run \"run 1\"") == true)
      var later = whole
      later[8] = 3
      try later.write(to: file)
      let newer = #expect(throws: FlowError.self) { try store.openJournal(of: "run 1") }
      #expect(newer?.problem.contains("has the format 3 at byte 8") == true)
      #expect(newer?.remedy.hasPrefix("Resume with the version of the library that wrote it") == true)
      for contents in [Data(), Data("{}".utf8), Data(count: 1_000), Data("text\n".utf8) + Data(count: 100)] {
        try contents.write(to: file)
        #expect(try open(store, file) == nil)
        // The journal can be removed, and begun anew.
      }
      try store.removeJournal(of: "run 1")
      #expect(try store.openJournal(of: "run 1").entries.isEmpty)
    }
  }
}
