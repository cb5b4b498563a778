import Foundation
import OperationFlow
import OperationFlowDurable

/// A store in memory that calls a test's hooks whenever it is used.
package final class HookedStore: FlowStore {
  /// A call of a store or of a journal that may fail.
  package enum Call: Sendable { case open, read, list, listUnreadable, remove, append, synchronize, replace }

  package struct Hooks: Sendable {
    /// Is called before each call that may fail, and before the hook of that call.
    package var calling: @Sendable (Call) throws -> Void = { _ in }
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

  private struct Opened {
    weak var journal: HookedJournal?
    var count = 0
  }

  /// The number of journals that are open.
  package var openCount: Int { opened.withLock { $0.count } }

  /// The journal that was opened last, unless it was freed.
  package var latest: AnyObject? { opened.withLock { $0.journal } }

  package convenience init(_ journals: [String: [Data]] = [:], _ change: (inout Hooks) -> Void = { _ in }) {
    self.init(over: MemoryFlowStore(journals), change)
  }

  /// Creates a store over the journals of another one.
  package init(over memory: MemoryFlowStore, _ change: (inout Hooks) -> Void = { _ in }) {
    self.memory = memory
    var hooks = Hooks()
    change(&hooks)
    self.hooks = hooks
  }

  package func openJournal(of id: String) throws -> FlowOpenJournal {
    try hooks.calling(.open)
    try hooks.opening()
    let found = try memory.openJournal(of: id)
    let journal = HookedJournal(id, found.journal, self)
    opened.withLock { ($0.journal, $0.count) = (journal, $0.count + 1) }
    return FlowOpenJournal(journal, entries: hooks.found(found.entries))
  }

  package func readJournal(of id: String) throws -> [Data]? {
    try hooks.calling(.read)
    try hooks.reading(id)
    return memory.readJournal(of: id)
  }

  package func runIDs() throws -> [String] {
    try hooks.calling(.list)
    return memory.runIDs()
  }

  package func unreadableRuns() throws -> [FlowUnfinishedRun] {
    try hooks.calling(.listUnreadable)
    return []
  }

  package func removeJournal(of id: String) throws {
    removals.add()
    try hooks.calling(.remove)
    try hooks.removing(id)
    try memory.removeJournal(of: id)
  }

  fileprivate func countClosed() { opened.withLock { $0.count -= 1 } }
}

private final class HookedJournal: FlowJournal {
  private struct State {
    var callCount = 0
    var isClosed = false
    /// The error of a synchronization; the journal accepts nothing afterwards.
    var failure: (any Error)?
  }

  private let id: String
  private let journal: any FlowJournal
  private let store: HookedStore
  private let state = Locked(State())

  init(_ id: String, _ journal: any FlowJournal, _ store: HookedStore) {
    (self.id, self.journal, self.store) = (id, journal, store)
  }

  deinit { markClosed() }

  func append(_ entry: Data) throws {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    try store.hooks.calling(.append)
    try store.hooks.appending(entry)
    try journal.append(entry)
  }

  func synchronize() async throws {
    state.withLock { $0.callCount += 1 }
    defer { state.withLock { $0.callCount -= 1 } }
    if let failure = state.withLock({ $0.failure }) { throw failure }
    do {
      try store.hooks.calling(.synchronize)
      try await store.hooks.synchronizing(store.memory.readJournal(of: id) ?? [])
      try await journal.synchronize()
    } catch {
      state.withLock { $0.failure = error }
      throw error
    }
  }

  func replaceEntries(first count: Int, with entries: [Data]) async throws {
    state.withLock { $0.callCount += 1 }
    defer { state.withLock { $0.callCount -= 1 } }
    try store.hooks.calling(.replace)
    try await store.hooks.replacing()
    try await journal.replaceEntries(first: count, with: entries)
  }

  func close() {
    store.hooks.closing(state.withLock { $0.callCount })
    journal.close()
    markClosed()
  }

  private func markClosed() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if isFirst { store.countClosed() }
  }
}
