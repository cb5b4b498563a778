import Foundation
import OperationFlow
import OperationFlowDurable

/// A store in memory that calls a test's hooks whenever it is used.
package final class HookedStore: FlowStore {
  package struct Hooks: Sendable {
    package var opening: @Sendable () throws -> Void = {}
    package var reading: @Sendable (_ id: String) throws -> Void = { _ in }
    package var appending: @Sendable (_ entry: Data) throws -> Void = { _ in }
    /// The argument is the entries that are stored at that time.
    package var synchronizing: @Sendable (_ entries: [Data]) async throws -> Void = { _ in }
    package var replacing: @Sendable () async throws -> Void = {}
    package var removing: @Sendable (_ id: String) throws -> Void = { _ in }
    /// Replaces the entries that are found when a journal is opened.
    package var found: @Sendable (_ entries: [Data]) -> [Data] = { $0 }
    /// The argument is the number of calls in progress.
    package var closing: @Sendable (_ callCount: Int) -> Void = { _ in }
  }

  package let memory: MemoryFlowStore
  package let hooks: Hooks
  package let removals = Tally()
  private let opened = Locked(Opened())

  private struct Opened { weak var journal: HookedJournal? }

  /// The journal that was opened last, unless it was freed.
  package var latest: AnyObject? { opened.withLock { $0.journal } }

  package init(_ journals: [String: [Data]] = [:], _ change: (inout Hooks) -> Void = { _ in }) {
    memory = MemoryFlowStore(journals)
    var hooks = Hooks()
    change(&hooks)
    self.hooks = hooks
  }

  package func openJournal(of id: String) throws -> FlowOpenJournal {
    try hooks.opening()
    let found = try memory.openJournal(of: id)
    let journal = HookedJournal(id, found.journal, self)
    opened.withLock { $0.journal = journal }
    return FlowOpenJournal(journal, entries: hooks.found(found.entries))
  }

  package func readJournal(of id: String) throws -> [Data]? {
    try hooks.reading(id)
    return memory.readJournal(of: id)
  }

  package func runIDs() throws -> [String] { memory.runIDs() }

  package func removeJournal(of id: String) throws {
    removals.add()
    try hooks.removing(id)
    try memory.removeJournal(of: id)
  }
}

private final class HookedJournal: FlowJournal {
  private let id: String
  private let journal: any FlowJournal
  private let store: HookedStore
  private let callCount = Locked(0)

  init(_ id: String, _ journal: any FlowJournal, _ store: HookedStore) {
    (self.id, self.journal, self.store) = (id, journal, store)
  }

  func append(_ entry: Data) throws {
    try store.hooks.appending(entry)
    try journal.append(entry)
  }

  func synchronize() async throws {
    callCount.withLock { $0 += 1 }
    defer { callCount.withLock { $0 -= 1 } }
    try await store.hooks.synchronizing(store.memory.readJournal(of: id) ?? [])
    try await journal.synchronize()
  }

  func replaceEntries(first count: Int, with entries: [Data]) async throws {
    callCount.withLock { $0 += 1 }
    defer { callCount.withLock { $0 -= 1 } }
    try await store.hooks.replacing()
    try await journal.replaceEntries(first: count, with: entries)
  }

  func close() {
    store.hooks.closing(callCount.withLock { $0 })
    journal.close()
  }
}
