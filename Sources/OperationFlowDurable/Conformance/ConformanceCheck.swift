import Foundation
import OperationFlow

/// The checks of a store of journals, one after the other.
struct ConformanceCheck {
  let store: any FlowStore
  /// A store of the same place, as another process would have it.
  let other: any FlowStore
  let site: CallSite
  /// The beginning of all identifiers, so that the journals of others don't matter.
  let name: String

  /// Returns entries of many lengths and contents, which begin with their numbers.
  static func entries(_ numbers: Range<Int>) -> [Data] {
    numbers.map { number in Data("\(number) ".utf8) + Data((0..<number * 13 % 300).map { UInt8($0 % 256) }) }
  }

  func mismatch(_ problem: String) -> FlowStoreMismatch { FlowStoreMismatch(site, problem) }

  func expect(_ isRight: Bool, _ problem: @autoclosure () -> String) throws {
    if !isRight { throw mismatch(problem()) }
  }

  /// Throws unless the entries are the expected ones; `place` is the call that returned them.
  func expect(_ found: [Data]?, _ expected: [Data]?, _ place: String) throws {
    if found == expected { return }
    guard let found, let expected else {
      throw mismatch("\(place) should return \(expected == nil ? "nil" : "entries"), and doesn't.")
    }
    let index = zip(found, expected).prefix { $0 == $1 }.count
    throw mismatch(
      "\(place) should return \(expected.count) entries, and returns \(found.count); the first that differs is number "
        + "\(index + 1).")
  }

  func expectError(_ code: FlowError.Code, _ call: String, _ body: () throws -> Void) throws {
    do { try body() } catch {
      try expect(
        (error as? FlowError)?.code == code,
        "\(call) should throw a FlowError with the code \(code), and throws \(error).")
      return
    }
    throw mismatch("\(call) should throw a FlowError with the code \(code), and doesn't throw.")
  }

  func expectError(_ code: FlowError.Code, _ call: String, _ body: () async throws -> Void) async throws {
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    try expectError(code, call) { try result.get() }
  }

  /// Opens a journal for as long as the body runs.
  func withJournal<Value>(
    _ id: String, of store: any FlowStore, _ body: (FlowOpenJournal) throws -> Value
  ) throws -> Value {
    let opened = try store.openJournal(of: id)
    defer { opened.journal.close() }
    return try body(opened)
  }

  // MARK: Reading and writing

  func checkMissing() throws {
    let id = name + " missing"
    try expect(try store.readJournal(of: id), nil, "readJournal(of:) without a journal")
    try expect(try !store.runIDs().contains(id), "runIDs() should not have a run without a journal.")
    try store.removeJournal(of: id)
    try withJournal(id, of: store) { new in
      try expect(new.entries, [], "openJournal(of:) of a new journal")
      try expect(new.repair == nil, "A new journal should not be repaired: \(new.repair ?? "").")
    }
    try expect(try other.readJournal(of: id), [], "readJournal(of:) of a new journal")
    try expect(try other.runIDs().contains(id), "runIDs() should have a new journal, and doesn't.")
  }

  func checkEntries() throws {
    let id = name + " entries"
    var all = Self.entries(0..<300)
    all += [Data(), Data((0...255).map { UInt8($0) }), Data(count: 5_000), Data([1]), Data()]
    // The indices of a slice don't begin at zero.
    all += [Data([9, 8, 7]).dropFirst(), Data(repeating: 7, count: 1 << 20)]
    try withJournal(id, of: store) { new in
      for entry in all { try new.journal.append(entry) }
      try expect(try store.readJournal(of: id), all, "readJournal(of:) of an open journal")
      try expect(try other.readJournal(of: id), all, "readJournal(of:) of a journal that is open elsewhere")
    }
    try withJournal(id, of: other) { opened in
      try expect(opened.entries, all, "openJournal(of:) of a journal that was closed")
      try expect(opened.repair == nil, "A journal that was closed should not be repaired: \(opened.repair ?? "").")
      try opened.journal.append(Data([5]))
    }
    try expect(try store.readJournal(of: id), all + [Data([5])], "readJournal(of:) after it was opened again")
  }

  // MARK: Locking

  func checkHolding() throws {
    let id = name + " held"
    try withJournal(id, of: store) { held in
      try held.journal.append(Data([1]))
      for store in [store, other] {
        try expectError(.runInUse, "openJournal(of:) of an open journal") { _ = try store.openJournal(of: id) }
        try expectError(.runInUse, "removeJournal(of:) of an open journal") { try store.removeJournal(of: id) }
      }
      try held.journal.append(Data([2]))
      try withJournal(id + " too", of: other) { try $0.journal.append(Data([3])) }
    }
    try expect(try store.readJournal(of: id), [Data([1]), Data([2])], "readJournal(of:) of a journal that was held")
  }

  func checkClosing() throws {
    let id = name + " closed"
    let journal = try store.openJournal(of: id).journal
    try journal.append(Data([1]))
    journal.close()
    try expectError(.storeFailed, "append(_:) after close()") { try journal.append(Data([2])) }
    try withJournal(id, of: other) { opened in
      // A second close must not release a journal that was opened since.
      journal.close()
      try expectError(.runInUse, "openJournal(of:), after another journal of the run was closed twice,") {
        _ = try store.openJournal(of: id)
      }
      try expect(opened.entries, [Data([1])], "openJournal(of:) of a journal that was closed twice")
    }
    func drop() throws { try store.openJournal(of: id).journal.append(Data([3])) }
    try drop()
    do { try withJournal(id, of: other) { _ in } } catch {
      throw mismatch("A journal that is freed should be closed, and opening it again throws \(error).")
    }
    try expect(try store.readJournal(of: id), [Data([1]), Data([3])], "readJournal(of:) after a journal was freed")
  }

  // MARK: Identifiers

  func checkIdentifiers() throws {
    let long = String(repeating: "long/", count: 300)
    let endings = [
      "", "a", "A", "a/b", "/../a", "..", "a b", "%41", "%", "é", "\n", "\u{0}", "日本", "👩‍👩‍👧", "'", "\"", "\\", "a_", "a%",
      long, long + "a", long + "b",
    ]
    let ids = endings.map { name + " id " + $0 }
    for (index, id) in ids.enumerated() {
      try withJournal(id, of: store) { try $0.journal.append(Data([UInt8(index)])) }
    }
    for (index, id) in ids.enumerated() {
      try expect(
        try other.readJournal(of: id), [Data([UInt8(index)])], "readJournal(of: \(id.debugDescription.prefix(100)))")
    }
    let found = try other.runIDs()
    try expect(found == found.sorted(), "runIDs() should be sorted.")
    try expect(
      found.filter { $0.hasPrefix(name + " id ") } == ids.sorted(),
      "runIDs() should have each identifier as it was given.")
    try expect(
      try !other.unreadableRuns().contains { $0.id.hasPrefix(name) },
      "unreadableRuns() should not have a run whose identifier is known.")
  }

  func checkRemoving() throws {
    let ids = try store.runIDs().filter { $0.hasPrefix(name) }
    for id in ids {
      try other.removeJournal(of: id)
      try expect(try store.readJournal(of: id), nil, "readJournal(of:) of a journal that was removed")
    }
    try expect(
      try !store.runIDs().contains { $0.hasPrefix(name) }, "runIDs() should not have journals that were removed.")
    for id in ids {
      try withJournal(id, of: store) { again in
        try expect(again.entries, [], "openJournal(of:) of a journal that was removed and is made again")
      }
      try expect(try other.readJournal(of: id), [], "readJournal(of:) of a journal that was removed and is made again")
      try store.removeJournal(of: id)
    }
  }
}
