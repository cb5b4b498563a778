import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

/// Files in which bytes were removed, added or exchanged, which no crash does.
///
/// `OPERATIONFLOW_EFFORT` changes the number of random cases. `OPERATIONFLOW_SEED` is the first seed.
@Suite(.watched) struct MovedBytesTests {
  /// Returns the bytes of a journal, and the starts of its records.
  ///
  /// Some records are synchronized, and some are longer than a sector.
  private func journal(_ store: FileFlowStore, _ entries: [Data], syncs: Bool) async throws -> (Data, starts: [Int]) {
    var starts: [Int] = []
    try await store.withJournal(of: "a") { journal in
      for (index, entry) in entries.enumerated() {
        starts.append(try Data(contentsOf: store.file(of: "a")).count)
        try journal.append(entry)
        if syncs, index % 3 == 1 { try await journal.synchronize() }
      }
    }
    return (try Data(contentsOf: store.file(of: "a")), starts)
  }

  /// Returns the entries that are found; `nil` if the journal is refused.
  private func open(_ store: FileFlowStore) throws -> (entries: [Data], repair: String?)? {
    do {
      let opened = try store.openJournal(of: "a")
      defer { opened.journal.close() }
      return (opened.entries, opened.repair)
    } catch let error as FlowError {
      #expect(error.code == .unreadableJournal && error.remedy.hasSuffix("the file is untouched."))
      return nil
    }
  }

  @Test(arguments: [true, false])
  func `without any one of its bytes, or any record but the last, a journal is refused`(syncs: Bool) async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let (whole, starts) = try await journal(store, entries(1..<8), syncs: syncs)
      let ends = starts.dropFirst() + [whole.count]
      for index in 0..<starts[6] {
        var changed = whole
        changed.remove(at: index)
        try changed.write(to: store.file(of: "a"))
        #expect(try open(store) == nil, "\(index)")
      }
      for (start, end) in zip(starts, ends).dropLast() {
        var changed = whole
        changed.removeSubrange(start..<end)
        try changed.write(to: store.file(of: "a"))
        #expect(try open(store) == nil, "\(start)")
      }
    }
  }

  @Test func `two records that were exchanged, or one that is there twice, are damage`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let (whole, starts) = try await journal(store, (1..<6).map { Data(repeating: $0, count: 20) }, syncs: false)
      let records = zip(starts, starts.dropFirst() + [whole.count]).map { whole[$0..<$1] }
      let header = whole[..<starts[0]]
      for (one, other) in [(0, 1), (1, 3), (3, 4), (0, 4)] {
        var changed = records
        changed.swapAt(one, other)
        try changed.reduce(header, +).write(to: store.file(of: "a"))
        #expect(try open(store) == nil)
        changed = records
        changed.insert(records[one], at: other)
        try changed.reduce(header, +).write(to: store.file(of: "a"))
        #expect(try open(store) == nil)
      }
    }
  }

  @Test func `whatever is changed before the last record, no entry is lost, and none is invented`() async throws {
    let first = TestSettings.firstSeed()
    for seed in first..<first + UInt64(TestSettings.amount(10)) {
      var generator = SeededGenerator(seed: seed)
      // No part of the entries looks like a sector that was not written.
      let entries = (0..<4 + generator.below(10)).map { _ in
        let length = generator.oneIn(3) ? 257 + generator.below(200) : 1 + generator.below(100)
        return Data((0..<length).map { _ in UInt8(1 + generator.below(255)) })
      }
      try await withJournalFolder { folder in
        let store = FileFlowStore(folder: folder)
        let (whole, starts) = try await journal(store, entries, syncs: generator.oneIn(2))
        for _ in 0..<20 {
          let (changed, end) = self.changed(whole, &generator)
          try changed.write(to: store.file(of: "a"))
          guard let found = try open(store) else { continue }
          let comment: Comment = "OPERATIONFLOW_SEED=\(seed)"
          if changed == whole {
            #expect(found.entries == entries && found.repair == nil, comment)
          } else {
            // A cut or lost last record can't be distinguished from a crash.
            let isCut = whole.starts(with: changed)
            #expect(isCut || end > starts[starts.count - 1], comment)
            #expect(found.entries == Array(entries.prefix(found.entries.count)), comment)
            #expect(found.repair != nil || isCut && (starts + [whole.count]).contains(changed.count), comment)
          }
        }
      }
    }
  }

  /// Returns a copy with one change, and the end of the change in the original bytes.
  private func changed(_ bytes: Data, _ generator: inout SeededGenerator) -> (Data, end: Int) {
    var changed = bytes
    let start = generator.below(bytes.count)
    let end = min(bytes.count, start + 1 + generator.below(generator.oneIn(2) ? 4 : 300))
    switch generator.below(5) {
    case 0: changed[start] ^= UInt8(1 + generator.below(255))
    case 1: changed.removeSubrange(start..<end)
    case 2:
      let added = (0...generator.below(40)).map { _ in UInt8(1 + generator.below(255)) }
      changed.insert(contentsOf: added, at: start)
    case 3: changed.insert(contentsOf: bytes[start..<end], at: end)
    default:
      let other = generator.below(bytes.count - (end - start) + 1)
      let moved = changed[start..<end]
      changed.removeSubrange(start..<end)
      changed.insert(contentsOf: moved, at: other)
      return (changed, max(end, other + (end - start)))
    }
    return (changed, end)
  }
}
