import Foundation

/// The journal of a run that is under way: takes entries in the order in which the run decides them, and appends them
/// in that order, outside the run's lock.
///
/// A thread that comes while another one appends leaves its entries to that one, so no thread waits for a file.
final class RunJournal: Sendable {
  private struct State: Sendable {
    /// The entries that are to be appended.
    var pending: [JournalEntry] = []
    var isAppending = false
    /// How many entries have been taken, and how many of them are appended and synchronized.
    var (takenCount, appendedCount, synchronizedCount) = (0, 0, 0)
    var isSynchronizing = false
    /// Whether the journal is at it, not only a task that will ask it to.
    var isAtDisk = false
    /// Whether the last entry is being written, which is synchronized by itself.
    var isEnding = false
    /// What waits until the journal is at rest.
    var whenAtRest: [@Sendable () -> Void] = []
    /// Work that waits until this many entries are synchronized.
    var parked: [(claim: RunClaim, count: Int)] = []
    /// What is called when everything is appended, or can't be.
    var whenAppended: [@Sendable () -> Void] = []
    /// Whether nothing more is written: it could not be, or the run is over.
    var isOver = false
    /// Why something could not be written.
    var failure: (any Error)?
    /// How large it was after its last checkpoint.
    var checkpointSize = 0
    /// Whether a checkpoint is being made; entries are appended all the same.
    var isReplacing = false

    /// Takes what waits until nothing is at work in the journal.
    mutating func takeWaitersAtRest() -> [@Sendable () -> Void] {
      guard !isAppending, !isAtDisk, !isReplacing else { return [] }
      defer { whenAtRest = [] }
      return whenAtRest
    }
  }

  let id: String
  let sealing: FlowSealing?
  let durability: FlowDurability
  private let journal: any FlowJournal
  private let store: any FlowStore
  /// Whether the order in which the items of a group have ended matters later.
  private let keepsOrder: @Sendable (Blueprint.StepID) -> Bool
  private let state = Locked(State())
  private let whenFailed = Locked<(@Sendable (any Error) -> Void)?>(nil)
  private let whenWarned = Locked<(@Sendable (String) -> Void)?>(nil)

  init(
    _ id: String, _ journal: any FlowJournal, of store: any FlowStore, _ durability: FlowDurability,
    _ sealing: FlowSealing?, keepsOrder: @escaping @Sendable (Blueprint.StepID) -> Bool
  ) {
    self.id = id
    self.store = store
    self.keepsOrder = keepsOrder
    self.journal = journal
    self.durability = durability
    self.sealing = sealing
    state.withLock { $0.checkpointSize = journal.byteCount }
  }

  /// Sets what happens if an entry can't be written.
  func onFailure(_ body: @escaping @Sendable (any Error) -> Void) { whenFailed.withLock { $0 = body } }

  /// Sets who is told of what is wrong and stops nothing.
  func onWarning(_ body: @escaping @Sendable (String) -> Void) { whenWarned.withLock { $0 = body } }

  // MARK: Entries

  func appendFirst(_ entry: Data) throws { try journal.append(entry) }

  func synchronizeFirst() async throws { try await journal.synchronize() }

  /// Takes an entry under the run's lock, which decides the order; `flush()` follows outside it.
  func take(_ entry: JournalEntry) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.pending.append(entry)
      state.takenCount += 1
    }
  }

  /// Appends what was taken, unless another thread does that now.
  func flush() {
    while true {
      let (entries, callbacks) = state.withLock { state -> ([JournalEntry], [@Sendable () -> Void]) in
        guard !state.isAppending else { return ([], []) }
        if state.pending.isEmpty {
          defer { state.whenAppended = [] }
          return ([], state.whenAppended)
        }
        state.isAppending = true
        defer { state.pending = [] }
        return (state.pending, [])
      }
      for callback in callbacks { callback() }
      guard !entries.isEmpty else { return }
      append(entries)
    }
  }

  private func append(_ entries: [JournalEntry]) {
    do {
      for entry in entries { try journal.append(entry.data) }
    } catch {
      fail(error)
    }
    var mayBeLarge = false
    var waiters: [@Sendable () -> Void] = []
    let mustSynchronize = state.withLock { state in
      state.isAppending = false
      waiters = state.takeWaitersAtRest()
      // The size is looked at now and then.
      mayBeLarge = (state.appendedCount + entries.count) / 64 > state.appendedCount / 64
      state.appendedCount += entries.count
      guard durability.way != .operatingSystem, !state.isSynchronizing, !state.isOver else { return false }
      state.isSynchronizing = true
      return true
    }
    for waiter in waiters { waiter() }
    if mustSynchronize { startSynchronizing() }
    if mayBeLarge { compactIfNeeded() }
  }

  private func fail(_ error: any Error) {
    let (isFirst, parked) = state.withLock { state in
      defer { (state.isOver, state.pending, state.parked) = (true, [], []) }
      if !state.isOver { state.failure = error }
      return (!state.isOver, state.parked)
    }
    guard isFirst else { return }
    whenFailed.withLock { $0 }?(error)
    resume(parked.map(\.claim))
  }

  // MARK: Synchronizing

  private func startSynchronizing() {
    Task {
      repeat {
        if case .grouped(let time) = durability.way, time > .zero { try? await Task.sleep(for: time) }
        let count = state.withLock { state -> Int? in
          guard !state.isEnding else { return nil }
          state.isAtDisk = true
          return state.appendedCount
        }
        guard let count else { break }
        do { try await journal.synchronize() } catch { fail(error) }
        noteSynchronized(count)
      } while mustContinue()
    }
  }

  private func noteSynchronized(_ count: Int) {
    let (ready, waiters) = state.withLock { state -> ([RunClaim], [@Sendable () -> Void]) in
      state.synchronizedCount = max(state.synchronizedCount, count)
      state.isAtDisk = false
      let ready = state.parked.filter { $0.count <= state.synchronizedCount }
      state.parked.removeAll { $0.count <= state.synchronizedCount }
      return (ready.map(\.claim), state.takeWaitersAtRest())
    }
    for waiter in waiters { waiter() }
    resume(ready)
  }

  private func mustContinue() -> Bool {
    state.withLock { state in
      state.isSynchronizing = !state.isOver && state.appendedCount > state.synchronizedCount
      return state.isSynchronizing
    }
  }

  /// Sets what goes on with work that has waited.
  func onResumption(_ body: @escaping @Sendable (RunClaim) -> Void) { resumed.withLock { $0 = body } }

  private let resumed = Locked<(@Sendable (RunClaim) -> Void)?>(nil)

  private func resume(_ claims: [RunClaim]) {
    guard let body = resumed.withLock({ $0 }) else { return }
    for var claim in claims {
      claim.isSynchronized = true
      body(claim)
    }
  }

  /// Keeps work until what has settled before it survives a power failure; false if it may begin.
  func park(_ claim: RunClaim) -> Bool {
    guard durability.way == .everySettlement, !claim.isSynchronized, !claim.work.isBookkeeping else { return false }
    return state.withLock { state in
      guard !state.isOver, state.takenCount > state.synchronizedCount else { return false }
      state.parked.append((claim, state.takenCount))
      return true
    }
  }

  // MARK: The end

  /// Appends the last entry, and calls `done` when it survives what the durability promises, and the journal is free.
  ///
  /// `done` is given why something could not be written, if so: the last entry, or what came before it.
  func end(_ ending: JournalEnding, done: @escaping @Sendable ((any Error)?) -> Void) {
    // From here on, `done` tells of a failure.
    whenFailed.withLock { $0 = nil }
    let finish: @Sendable () -> Void = { self.closeAtRest(done) }
    let isOver = state.withLock { state in
      if state.isOver { return true }
      state.pending.append(.ended(ending))
      state.takenCount += 1
      state.whenAppended.append {
        guard self.durability.way != .operatingSystem else { return finish() }
        Task {
          do { try await self.journal.synchronize() } catch { self.fail(error) }
          finish()
        }
      }
      return false
    }
    if isOver { finish() } else { flush() }
  }

  /// Closes it when nothing is at work in it any longer, so that it is free at once.
  private func closeAtRest(_ done: @escaping @Sendable ((any Error)?) -> Void) {
    let close: @Sendable () -> Void = {
      self.close()
      done(self.state.withLock { $0.failure })
    }
    let waiters = state.withLock { state in
      state.isEnding = true
      state.whenAtRest.append(close)
      return state.takeWaitersAtRest()
    }
    for waiter in waiters { waiter() }
  }

  /// Lets go of the journal.
  func close() {
    state.withLock { state in (state.isOver, state.pending) = (true, []) }
    journal.close()
    whenFailed.withLock { $0 = nil }
    whenWarned.withLock { $0 = nil }
    resumed.withLock { $0 = nil }
  }

  // MARK: Checkpoints

  /// Makes the journal shorter if it has grown enough since the last time.
  private func compactIfNeeded() {
    let size = journal.byteCount
    let isDue = state.withLock { state in
      guard !state.isOver, !state.isEnding, !state.isReplacing, size > 1 << 20, size > 4 * state.checkpointSize else {
        return false
      }
      state.isReplacing = true
      return true
    }
    guard isDue else { return }
    Task {
      do { try await compact() } catch {
        // The old entries are still there.
        whenWarned.withLock { $0 }?("its journal could not be made shorter: \(ValueText.describe(error: error))")
      }
      let size = journal.byteCount
      let waiters = state.withLock { state in
        state.isReplacing = false
        state.checkpointSize = size
        return state.takeWaitersAtRest()
      }
      for waiter in waiters { waiter() }
    }
  }

  /// Replaces the entries that are there now; more may be appended meanwhile.
  private func compact() async throws {
    let (count, folded) = try await FileWork.perform { [self] in
      let entries = try store.readJournal(of: id) ?? []
      return (entries.count, try JournalFold.folded(entries, keepsOrder: keepsOrder))
    }
    if folded.count < count { try await journal.replaceEntries(first: count, with: folded) }
  }
}
