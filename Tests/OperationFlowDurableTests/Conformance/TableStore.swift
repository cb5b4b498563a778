import Foundation
import OperationFlow
import OperationFlowDurable

/// A store of a user's own, with tables in memory.
///
/// The comments are the statements of a store that uses SQL.
final class TableStore: FlowStore {
  let database: Database

  init(_ database: Database) { self.database = database }

  func openJournal(of id: String) throws -> FlowOpenJournal {
    try database.transaction { tables in
      // INSERT INTO runs (id) VALUES (?) ON CONFLICT DO NOTHING
      tables.entries[id] = tables.entries[id] ?? []
      // INSERT INTO holders (id) VALUES (?), with a unique id
      guard tables.holders.insert(id).inserted else { throw FlowError.runInUse(id, by: "another worker") }
      // SELECT data FROM entries WHERE id = ? ORDER BY number
      return FlowOpenJournal(TableJournal(id, database), entries: tables.entries[id] ?? [])
    }
  }

  func readJournal(of id: String) throws -> [Data]? {
    // SELECT data FROM entries WHERE id = ? ORDER BY number, if the run is in the table of runs
    database.transaction { tables in tables.entries[id] }
  }

  func runIDs() throws -> [String] {
    // SELECT id FROM runs; sorted here, because a database has an order of its own
    database.transaction { tables in tables.entries.keys.sorted() }
  }

  func removeJournal(of id: String) throws {
    try database.transaction { tables in
      guard !tables.holders.contains(id) else { throw FlowError.runInUse(id, by: "another worker") }
      // DELETE FROM entries WHERE id = ?; DELETE FROM runs WHERE id = ?
      tables.entries[id] = nil
    }
  }
}

final class TableJournal: FlowJournal, @unchecked Sendable {
  // Invariant: the variable is used only in transactions, of which there is one at a time.
  private var isClosed = false
  private let id: String
  private let database: Database

  init(_ id: String, _ database: Database) { (self.id, self.database) = (id, database) }

  deinit { close() }

  /// Runs a transaction, unless the journal is closed.
  private func change(_ body: (inout [Data]) throws -> Void) throws {
    try database.transaction { tables in
      guard !isClosed else {
        throw FlowError.storeFailed("the journal of the run \(id) is closed", remedy: "Open it again.")
      }
      try body(&tables.entries[id, default: []])
    }
  }

  func append(_ entry: Data) throws {
    // INSERT INTO entries (id, number, data) VALUES (?, ?, ?), and COMMIT
    try change { entries in entries.append(entry) }
  }

  func synchronize() async throws {
    // Does nothing if each commit waits for the disk. Otherwise, flush here, and not on the tasks' threads.
    try change { _ in }
  }

  func replaceEntries(first count: Int, with new: [Data]) async throws {
    try change { entries in
      guard (0...entries.count).contains(count) else {
        throw FlowError.storeFailed("there are no \(count) entries to replace", remedy: "Replace fewer.")
      }
      // In one transaction: DELETE FROM entries WHERE id = ? AND number < ?; UPDATE entries SET number = number + ? for
      // the others; INSERT INTO entries for each new one
      entries.replaceSubrange(..<count, with: new)
    }
  }

  func close() {
    database.transaction { tables in
      // DELETE FROM holders WHERE id = ?
      if !isClosed { tables.holders.remove(id) }
      isClosed = true
    }
  }
}

/// A replacement of a database: tables in memory, and one transaction at a time.
final class Database: @unchecked Sendable {
  struct Tables {
    var entries: [String: [Data]] = [:]
    var holders: Set<String> = []
  }

  // Invariant: the tables are used only under the lock.
  private var tables = Tables()
  private let lock = NSLock()

  func transaction<Value>(_ body: (inout Tables) throws -> Value) rethrows -> Value {
    try lock.withLock { try body(&tables) }
  }
}
