import Foundation
import OperationFlow
import OperationFlowDurable

/// A store that does one thing wrong.
final class BrokenStore: FlowStore {
  enum Fault: String, CaseIterable, Sendable {
    case opensTwice, losesEmptyEntries, cutsEntries, forgetsRemoving, removesHeld, makesNothing, listsUnsorted
    case ignoresCase, takesTwice, countsWrong, appendsClosed, replacesAll, replacesNothing, losesLateEntries
    case throwsOwnErrors, staysHeld, readsNothing, keepsRemoved
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

  func openJournal(of id: String) throws -> any FlowJournal {
    let id = name(id)
    return try state.withLock { state in
      if state.held[id] != nil, fault != .opensTwice { throw inUse }
      if state.journals[id] == nil { state.journals[id] = state.removed[id] ?? [] }
      state.openings += 1
      state.held[id] = state.openings
      return BrokenJournal(id, state.openings, state.journals[id] ?? [], self)
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

  func letGo(_ id: String, _ opening: Int) {
    state.withLock { state in
      if state.held[id] == opening { state.held[id] = nil }
    }
  }
}

private final class BrokenJournal: FlowJournal {
  private let id: String
  private let opening: Int
  private let store: BrokenStore
  private let entries: Locked<[Data]>
  private let isClosed = Locked(false)
  let repair: String? = nil

  init(_ id: String, _ opening: Int, _ entries: [Data], _ store: BrokenStore) {
    (self.id, self.opening, self.store) = (id, opening, store)
    self.entries = Locked(entries)
  }

  deinit { if store.fault != .staysHeld { close() } }

  func takeEntries() -> [Data] {
    entries.withLock { entries in
      defer { if store.fault != .takesTwice { entries = [] } }
      return entries
    }
  }

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
      // Until an entry is lost, if others append.
      for _ in 0..<10_000 where store.change(id, { $0.count }) == before.count { await Task.yield() }
      store.change(id) { $0 = entries + before.dropFirst(count) }
    } else {
      store.change(id) { $0.replaceSubrange(..<(store.fault == .replacesAll ? $0.count : count), with: entries) }
    }
  }

  var entryCount: Int { store.change(id) { $0.count } + (store.fault == .countsWrong ? 1 : 0) }
  var byteCount: Int { store.change(id) { $0.reduce(0) { $0 + $1.count } } }

  func close() {
    isClosed.withLock { $0 = true }
    store.letGo(id, opening)
  }
}
