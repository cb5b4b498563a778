import Foundation
import OperationFlow
import OperationFlowDurable

/// A store with one fault.
final class BrokenStore: FlowStore {
  enum Fault: String, CaseIterable, Sendable {
    case opensTwice, losesEmptyEntries, cutsEntries, forgetsRemoving, removesHeld, makesNothing, listsUnsorted
    case ignoresCase, findsNothing, repairsAll, appendsClosed, replacesAll, replacesNothing, losesLateEntries
    case throwsOwnErrors, staysHeld, readsNothing, keepsRemoved, readsNoName
  }

  private struct State {
    var journals: [String: [Data]] = [:]
    var removed: [String: [Data]] = [:]
    var held: [String: Int] = [:]
    var openings = 0
  }

  let fault: Fault
  private let state = Locked(State())

  init(_ fault: Fault) { self.fault = fault }

  private func name(_ id: String) -> String { fault == .ignoresCase ? id.lowercased() : id }

  func openJournal(of id: String) throws -> FlowOpenJournal {
    let id = name(id)
    return try state.withLock { state in
      if state.held[id] != nil, fault != .opensTwice { throw inUse }
      if state.journals[id] == nil { state.journals[id] = state.removed[id] ?? [] }
      state.openings += 1
      state.held[id] = state.openings
      return FlowOpenJournal(
        BrokenJournal(id, state.openings, self), entries: fault == .findsNothing ? [] : state.journals[id] ?? [],
        repair: fault == .repairsAll ? "it was repaired" : nil)
    }
  }

  private var inUse: any Error {
    fault == .throwsOwnErrors ? CancellationError() : FlowError(.runInUse, "it is in use", remedy: "Wait.")
  }

  func readJournal(of id: String) throws -> [Data]? {
    let entries = fault == .readsNothing ? nil : state.withLock { $0.journals[name(id)] }
    return fault == .makesNothing && entries == [] ? nil : entries
  }

  func runIDs() throws -> [String] {
    let ids = state.withLock { $0.journals.keys.sorted() }
    return fault == .listsUnsorted ? ids.reversed() : ids
  }

  func unreadableRuns() throws -> [FlowUnfinishedRun] {
    guard fault == .readsNoName else { return [] }
    let error = FlowError.storeFailed("it has no name", remedy: "Give it one.")
    return try runIDs().map { FlowUnfinishedRun(unreadable: $0, error) }
  }

  func removeJournal(of id: String) throws {
    try state.withLock { state in
      if state.held[name(id)] != nil, fault != .removesHeld { throw inUse }
      guard fault != .forgetsRemoving, let entries = state.journals.removeValue(forKey: name(id)) else { return }
      if fault == .keepsRemoved { state.removed[name(id)] = entries }
    }
  }

  func change<Value>(_ id: String, _ body: (inout [Data]) throws -> Value) rethrows -> Value {
    try state.withLock { try body(&$0.journals[id, default: []]) }
  }

  func unlock(_ id: String, _ opening: Int) {
    state.withLock { state in
      if state.held[id] == opening { state.held[id] = nil }
    }
  }
}

private final class BrokenJournal: FlowJournal {
  private let id: String
  private let opening: Int
  private let store: BrokenStore
  private let isClosed = Locked(false)

  init(_ id: String, _ opening: Int, _ store: BrokenStore) {
    (self.id, self.opening, self.store) = (id, opening, store)
  }

  deinit { if store.fault != .staysHeld { close() } }

  private func checkOpen() throws {
    if isClosed.withLock({ $0 }), store.fault != .appendsClosed {
      throw FlowError(.storeFailed, "it is closed", remedy: "Open it.")
    }
  }

  func append(_ entry: Data) throws {
    try checkOpen()
    switch store.fault {
    case .losesEmptyEntries where entry.isEmpty: return
    case .cutsEntries: store.change(id) { $0.append(Data(entry.prefix(1_000))) }
    default: store.change(id) { $0.append(Data(entry)) }
    }
  }

  func synchronize() async throws { try checkOpen() }

  func replaceEntries(first count: Int, with entries: [Data]) async throws {
    try checkOpen()
    let before = store.change(id) { $0 }
    guard (0...before.count).contains(count) else { throw FlowError(.storeFailed, "no", remedy: "No.") }
    if store.fault == .replacesNothing { return }
    if store.fault == .losesLateEntries {
      // Waits for an entry that the next line loses, if other code appends one.
      for _ in 0..<10_000 where store.change(id, { $0.count }) == before.count { await Task.yield() }
      store.change(id) { $0 = entries + before.dropFirst(count) }
    } else {
      store.change(id) { $0.replaceSubrange(..<(store.fault == .replacesAll ? $0.count : count), with: entries) }
    }
  }

  func close() {
    isClosed.withLock { $0 = true }
    store.unlock(id, opening)
  }
}
