import Foundation
import OperationFlow

extension ConformanceCheck {
  func checkSynchronizing() async throws {
    let id = name + " synchronized"
    let journal = try store.openJournal(of: id).journal
    defer { journal.close() }
    try await journal.synchronize()
    for entry in Self.entries(0..<50) {
      try journal.append(entry)
      try await journal.synchronize()
    }
    // Many calls wait at once, while other entries are appended.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for entry in Self.entries(50..<100) {
        try journal.append(entry)
        for _ in 0..<4 { group.addTask { try await journal.synchronize() } }
      }
      try await group.waitForAll()
    }
    try expect(try other.readJournal(of: id), Self.entries(0..<100), "readJournal(of:) after synchronize()")
    // A task that is cancelled waits like any other.
    try journal.append(Data([1]))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await journal.synchronize()
    }
    do { try await task.value } catch {
      throw mismatch("synchronize() should not be cancelled with its task, and throws \(error).")
    }
    journal.close()
    try await expectError(.storeFailed, "synchronize() after close()") { try await journal.synchronize() }
  }

  func checkReplacing() async throws {
    let id = name + " replaced"
    let journal = try store.openJournal(of: id).journal
    defer { journal.close() }
    var all = Self.entries(0..<20)
    for entry in all { try journal.append(entry) }
    for (count, new) in [
      (15, Self.entries(30..<33)), (0, Self.entries(40..<42)), (3, []), (7, Self.entries(50..<51)), (1, []), (0, []),
      (0, Self.entries(60..<900)), (830, Self.entries(0..<1)), (11, []),
    ] {
      try await journal.replaceEntries(first: count, with: new)
      all.replaceSubrange(..<count, with: new)
      let call = "replaceEntries(first: \(count), with: \(new.count) entries)"
      try expect(try other.readJournal(of: id), all, "readJournal(of:) after \(call)")
      try journal.append(Data([UInt8(count % 256)]))
      all.append(Data([UInt8(count % 256)]))
    }
    for count in [-1, all.count + 1] {
      try await expectError(.storeFailed, "replaceEntries(first: \(count), …) of \(all.count)") {
        try await journal.replaceEntries(first: count, with: [Data([1])])
      }
    }
    try await journal.synchronize()
    try expectError(.runInUse, "openJournal(of:) after replaceEntries(first:with:)") {
      _ = try other.openJournal(of: id)
    }
    journal.close()
    try await expectError(.storeFailed, "replaceEntries(first:with:) after close()") {
      try await journal.replaceEntries(first: 0, with: [])
    }
    try withJournal(id, of: other) { opened in
      try expect(opened.entries, all, "openJournal(of:) after replaceEntries(first:with:)")
    }
  }

  /// Checks that entries stay, after the new ones, if they are appended while others are replaced.
  func checkReplacingWhileAppending() async throws {
    let id = name + " both"
    let journal = try store.openJournal(of: id).journal
    defer { journal.close() }
    let all = Self.entries(0..<2_000)
    for entry in all[..<100] { try journal.append(entry) }
    let (hasBegun, begin) = AsyncStream<Void>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // Begins with the others, so that their calls overlap.
        for await _ in hasBegun {}
        for entry in all[100...] {
          try journal.append(entry)
          await Task.yield()
        }
      }
      group.addTask {
        begin.finish()
        for round in 1...20 {
          // Replaces entries with equal ones, so that the result doesn't depend on the order of the calls.
          let count = try min(round * 20, other.readJournal(of: id)?.count ?? 0)
          try await journal.replaceEntries(first: count, with: Array(all[..<count]))
        }
      }
      group.addTask { for _ in 0..<20 { try await journal.synchronize() } }
      try await group.waitForAll()
    }
    try expect(
      try other.readJournal(of: id), all, "readJournal(of:) after entries were appended while others were replaced")
  }
}
