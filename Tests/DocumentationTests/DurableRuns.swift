import Foundation
import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

extension FlowKey where Value == [String] {
  static var parcels: Self { "parcels" }
  static var receipts: Self { "receipts" }
}

func deliver(_ parcel: String, key: String) async throws -> String { parcel + "!" }
func encrypt(_ data: Data) throws -> Data { Data(data.reversed()) }
func decrypt(_ data: Data) throws -> Data { Data(data.reversed()) }

/// Stands for a database: tables in memory, and one transaction at a time.
final class Database: @unchecked Sendable {
  struct Tables {
    var entries: [String: [Data]] = [:]
    var holders: Set<String> = []
  }

  // Invariant: the tables are read and written under the lock only.
  private var tables = Tables()
  private let lock = NSLock()

  func transaction<Value>(_ body: (inout Tables) throws -> Value) rethrows -> Value {
    try lock.withLock { try body(&tables) }
  }
}

final class TableStore: FlowStore {
  let database: Database

  init(_ database: Database) { self.database = database }

  func openJournal(of id: String) throws -> any FlowJournal {
    try database.transaction { tables in
      // INSERT INTO runs (id) VALUES (?) ON CONFLICT DO NOTHING
      tables.entries[id] = tables.entries[id] ?? []
      // INSERT INTO holders (id) VALUES (?), with a unique id
      guard tables.holders.insert(id).inserted else { throw FlowError.runInUse(id, by: "another worker") }
      // SELECT data FROM entries WHERE id = ? ORDER BY number
      return TableJournal(id, tables.entries[id] ?? [], database)
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
  // Invariant: the variables are read and written in transactions only, of which there is one at a time.
  private var found: [Data]
  private var isClosed = false
  private let id: String
  private let database: Database
  let repair: String? = nil

  init(_ id: String, _ found: [Data], _ database: Database) {
    (self.id, self.found, self.database) = (id, found, database)
  }

  deinit { close() }

  /// Runs a transaction, unless the journal is closed.
  private func change<Value>(_ body: (inout [Data]) throws -> Value) throws -> Value {
    try database.transaction { tables in
      guard !isClosed else {
        throw FlowError.storeFailed("the journal of the run \(id) is closed", remedy: "Open it again.")
      }
      return try body(&tables.entries[id, default: []])
    }
  }

  func takeEntries() -> [Data] {
    database.transaction { _ in
      defer { found = [] }
      return found
    }
  }

  func append(_ entry: Data) throws {
    // INSERT INTO entries (id, number, data) VALUES (?, ?, ?), and COMMIT
    try change { entries in entries.append(entry) }
  }

  func synchronize() async throws {
    // Nothing, if each commit waits for the disk. Otherwise what makes it do so, away from the tasks' threads.
    try change { _ in }
  }

  func replaceEntries(first count: Int, with new: [Data]) async throws {
    try change { entries in
      guard (0...entries.count).contains(count) else {
        throw FlowError.storeFailed("there are no \(count) entries to replace", remedy: "Give at most entryCount.")
      }
      // In one transaction: DELETE FROM entries WHERE id = ? AND number < ?; UPDATE entries SET number = number + ? for
      // the others; INSERT INTO entries for each new one
      entries.replaceSubrange(..<count, with: new)
    }
  }

  // SELECT COUNT(*), SUM(LENGTH(data)) FROM entries WHERE id = ?; better counted here than asked each time
  var entryCount: Int { database.transaction { $0.entries[id]?.count ?? 0 } }
  var byteCount: Int { database.transaction { $0.entries[id]?.reduce(0) { $0 + $1.count } ?? 0 } }

  func close() {
    database.transaction { tables in
      // DELETE FROM holders WHERE id = ?
      if !isClosed { tables.holders.remove(id) }
      isClosed = true
    }
  }
}

extension FlowKey where Value == FileHandle {
  static var logFile: Self { FlowKey("logFile", isStored: false) }
}

enum DurableRuns {
  static func run(in directory: URL) async -> FlowOutcome {
    let store = FileFlowStore(folder: directory)
    let outcome = await Flow("Delivery")
      .set(.parcels, to: ["one", "two", "three"])
      .forEach(.parcels, into: .receipts, width: 3) { parcel, context in
        try await deliver(parcel, key: context.idempotencyKey)
      }
      .run(id: "delivery-42", in: store)
    return outcome
  }

  static func list(in directory: URL, print: Printer) async throws {
    for run in try await FileFlowStore(folder: directory).unfinished() {
      print("\(run.id): \(run.settledItemCount) items since \(run.since)")
    }
  }

  static func seal(_ flow: Flow, in directory: URL) async -> FlowOutcome {
    let outcome = await flow.run(
      id: "delivery-42", in: FileFlowStore(folder: directory),
      sealing: FlowSealing(seal: { try encrypt($0) }, open: { try decrypt($0) }))
    return outcome
  }
}

extension DurableRuns {
  static func checkStore() async throws {
    let database = Database()
    let store = TableStore(database)
    try await store.expectConformance { TableStore(database) }
  }

  static func change(_ flow: Flow, in directory: URL) async -> FlowOutcome {
    let outcome = await flow.run(id: "delivery-42", in: FileFlowStore(folder: directory), changes: .afterReachedPoint)
    return outcome
  }
}

@Suite(.watched) struct DurableRunsTests {
  @Test func `the same call starts a run and returns how it ended`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("DurableRuns-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for _ in 0..<2 {
      #expect(await DurableRuns.run(in: folder).report[.receipts] == ["one!", "two!", "three!"])
    }
    try await DurableRuns.list(in: folder, print: Printer())
    #expect(await DurableRuns.seal(Flow("Delivery"), in: folder).isSuccess)
    #expect(await DurableRuns.change(Flow("Delivery"), in: folder).isSuccess)
  }
  @Test func `a store over tables does what durable runs rely on`() async throws {
    try await DurableRuns.checkStore()
    let (database, ran) = (Database(), Tally())
    let flow = Flow("Tables").forEach(in: 0..<5, width: 2) { _, _ in ran.add() }.add("last") { _ in ran.add() }
    #expect(await flow.run(id: "a", in: TableStore(database)).isSuccess)
    // As if the process had ended before its last step.
    database.transaction { tables in tables.entries["a"]?.removeLast(2) }
    #expect(try await TableStore(database).unfinished().map(\.id) == ["a"])
    #expect(await flow.run(id: "a", in: TableStore(database)).isSuccess && ran.count == 7)
  }
}
