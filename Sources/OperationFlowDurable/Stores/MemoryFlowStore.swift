import Foundation
import OperationFlow
import OperationFlowStorage

/// Stores journals in memory: for tests, and to resume runs within one process.
///
/// You can use a store from any thread.
public final class MemoryFlowStore: FlowStore {
  private struct Kept {
    var journals: [String: [Data]]
    /// The times when the journals that are open were opened.
    var holds: [String: Date] = [:]
  }

  private let kept: Locked<Kept>

  /// Creates a store.
  ///
  /// - Parameter journals: The entries that the store starts with, by the identifiers of their runs.
  public init(_ journals: [String: [Data]] = [:]) {
    kept = Locked(Kept(journals: journals))
  }

  /// All entries, by the identifiers of their runs.
  public var journals: [String: [Data]] { kept.withLock { $0.journals } }

  /// Opens the journal of a run for writing, and creates it if there is none.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Returns: The journal, which stays open until it is closed or freed, and the entries that it contains.
  /// - Throws: `FlowError` with the code `runInUse` if the journal is open; `storeFailed` if the identifier is empty.
  public func openJournal(of id: String) throws -> FlowOpenJournal {
    if id.isEmpty { throw FlowError.emptyIdentifier }
    let entries = try kept.withLock { kept in
      if let since = kept.holds[id] {
        throw FlowError.runInUse(id, by: JournalHolder.current(since: since).description)
      }
      kept.holds[id] = Date()
      let entries = kept.journals[id, default: []]
      kept.journals[id] = entries
      return entries
    }
    return FlowOpenJournal(MemoryFlowJournal(id, of: self), entries: entries)
  }

  /// Returns the entries of a journal without opening it.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Returns: The entries in their order; `nil` if there is no journal.
  public func readJournal(of id: String) -> [Data]? { kept.withLock { $0.journals[id] } }

  /// Returns the identifiers of all runs that have a journal.
  ///
  /// - Returns: The identifiers, sorted.
  public func runIDs() -> [String] { kept.withLock { $0.journals.keys.filter { !Mailbox.isReserved($0) }.sorted() } }

  /// Removes the journal of a run, and the signals that it was sent; does nothing if there is none.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Throws: `FlowError` with the code `runInUse` if the journal is open.
  public func removeJournal(of id: String) throws {
    try kept.withLock { kept in
      if let since = kept.holds[id] {
        throw FlowError.runInUse(id, by: JournalHolder.current(since: since).description)
      }
      kept.journals[id] = nil
      if kept.holds[Mailbox.id(of: id)] == nil { kept.journals[Mailbox.id(of: id)] = nil }
    }
  }

  fileprivate func change(_ id: String, _ body: (inout [Data]) throws -> Void) rethrows {
    try kept.withLock { try body(&$0.journals[id, default: []]) }
  }

  fileprivate func unlock(of id: String) { kept.withLock { $0.holds[id] = nil } }
}

/// A journal of a `MemoryFlowStore`.
private final class MemoryFlowJournal: FlowJournal {
  private let id: String
  private let store: MemoryFlowStore
  private let isClosed = Locked(false)

  init(_ id: String, of store: MemoryFlowStore) { (self.id, self.store) = (id, store) }

  deinit { close() }

  func append(_ entry: Data) throws {
    try change { $0.append(entry) }
  }

  func synchronize() async throws { try change { _ in } }

  func replaceEntries(first count: Int, with entries: [Data]) async throws {
    try change { kept in
      guard (0...kept.count).contains(count) else { throw FlowError.invalidReplacement(id, count, of: kept.count) }
      kept.replaceSubrange(..<count, with: entries)
    }
  }

  func close() {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    if isFirst { store.unlock(of: id) }
  }

  private func change(_ body: (inout [Data]) throws -> Void) throws {
    // The store's lock is the inner one, so that nothing changes after the journal is closed.
    try isClosed.withLock { isClosed in
      guard !isClosed else { throw FlowError.closedJournal(id) }
      try store.change(id, body)
    }
  }
}
