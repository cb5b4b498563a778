import Foundation
import OperationFlow
import OperationFlowStorage

/// The journal of a run that is under way: accepts entries in the order of the run's decisions, and appends them in
/// that order, outside the run's lock.
///
/// A thread leaves its entries to another one that is appending, so that no thread waits for a file.
final class RunJournal: Sendable {
  /// A reason why something could not be written, or why the run is left.
  struct Failure: Sendable {
    let error: any Error
    /// True if the run was notified when it happened.
    let isKnown: Bool
  }

  let id: String
  let sealing: FlowSealing?
  let durability: FlowDurability
  let journal: any FlowJournal
  /// The clock of the run, if a program drives it: its time stops while the journal works with files.
  let clock: (any DrivenClock)?
  let store: any FlowStore
  /// Returns true if the order in which a group's items ended matters later.
  let keepsOrder: @Sendable (Int) -> Bool
  /// Returns for how long the date of a step's work matters.
  let ratePeriod: @Sendable (Int) -> Duration?
  let state = Locked(State())
  /// The texts of all sensitive values that the run has had: no stored error or name may show them.
  let secrets = Locked(SecretTexts())
  /// The sensitive names and the number of replaced secrets that are known, so that an error looks at new ones only.
  let hidden = Locked((names: Set<String>(), replacedCount: 0))
  private let callbacks = Locked(Callbacks())

  init(
    _ id: String, _ journal: any FlowJournal, size: Int, rest: JournalRest? = nil, of store: any FlowStore,
    _ durability: FlowDurability,
    _ sealing: FlowSealing?, on clock: (any DrivenClock)?,
    ratePeriod: @escaping @Sendable (Int) -> Duration?,
    keepsOrder: @escaping @Sendable (Int) -> Bool
  ) {
    self.id = id
    self.store = store
    self.keepsOrder = keepsOrder
    self.ratePeriod = ratePeriod
    self.journal = journal
    self.clock = clock
    self.durability = durability
    self.sealing = sealing
    state.withLock { ($0.size, $0.checkpointSize, $0.rest) = (size, size, rest) }
  }

  /// Sets the closure to call if an entry can't be written.
  func onFailure(_ body: @escaping @Sendable (any Error) -> Void) { callbacks.withLock { $0.whenFailed = body } }

  /// Sets the closure to call with a problem that stops nothing.
  func onWarning(_ body: @escaping @Sendable (String) -> Void) { callbacks.withLock { $0.whenWarned = body } }

  /// Reports a problem that stops nothing, and the error that is its cause.
  func warn(_ problem: String, _ error: any Error) {
    let warn = callbacks.withLock { $0.whenWarned }
    // There is no call that a remedy could ask for.
    warn?("\(problem): \((error as? FlowError)?.problem ?? ValueText.describe(error: error))")
  }

  /// Sets the closure that replaces an error before it is stored.
  func onStoredError(_ body: @escaping @Sendable (any Error) -> any Error) {
    callbacks.withLock { $0.whenErrorIsStored = body }
  }

  /// Returns the error to store in place of `error`; calls users' code.
  func stored(_ error: any Error) -> any Error {
    let replace = callbacks.withLock { $0.whenErrorIsStored }
    return replace?(error) ?? error
  }

  /// Returns the name of work without the sensitive values that it may contain.
  func stored(_ name: String) -> String { secrets.withLock { $0 }.scrubbing(name) }

  // MARK: Entries

  /// Appends the failures of the attempts in which the last process ended, before the run continues.
  func append(_ interrupted: [JournalSettlement]) async throws {
    if interrupted.isEmpty { return }
    try await FileWork.perform { [self] in
      for settlement in interrupted { try journal.append(data(of: .settled(settlement))) }
    }
  }

  func appendFirst(_ entry: Data) throws { try journal.append(entry) }

  func synchronizeFirst() async throws { try await journal.synchronize() }

  /// Replaces the first entries before the run continues, by others of about the same size.
  func replaceFirst(_ count: Int, with entries: [Data]) async throws {
    do { try await journal.replaceEntries(first: count, with: entries) } catch { throw FlowError.storeError(error) }
  }

  /// Accepts an entry under the run's lock, which decides the order; `flush()` follows outside the lock.
  func accept(_ entry: JournalEntry) {
    state.withLock { state in
      guard state.isAccepting else { return }
      state.rest = nil
      if case .begins = entry { state.hasBegun = true }
      state.pending.append(entry)
      if entry.mustBeSafe { state.acceptedCount += 1 }
    }
  }

  /// Accepts the last entry before a resume: later settlements are dropped.
  ///
  /// A run that has done nothing since it rested last, or since it was opened, adds no entry.
  func suspend(with rest: JournalRest?) {
    let mustSay = state.withLock { rest == nil ? $0.hasBegun : $0.rest != rest }
    if mustSay { accept(rest.map { .rests($0) } ?? .left) }
    state.withLock { $0.isSuspended = true }
  }

  /// Sets the closure that leaves the run to be resumed.
  func onLeaving(_ body: @escaping @Sendable (FlowError, FlowEvent.Source?) -> Void) {
    callbacks.withLock { $0.whenLeft = body }
  }

  /// Requests that the run is left, because a value can't be used; `reader` is the step or item that needs the value.
  func requestLeave(_ error: FlowError, by reader: FlowEvent.Source? = nil) {
    let leave = callbacks.withLock { $0.whenLeft }
    leave?(error.leavingRun, reader)
  }

  /// Accepts no more entries, because something that the run needs can't be read.
  func leave(because error: FlowError) {
    state.withLock { $0.left = $0.left ?? Failure(error: error, isKnown: true) }
  }

  /// True if the run is suspended, and continues later.
  var isSuspended: Bool { state.withLock { $0.isSuspended } }

  /// Appends the accepted entries, unless another thread does that now.
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
    var failure: Failing?
    var size = 0
    do {
      for entry in entries {
        let data = data(of: entry)
        try journal.append(data)
        size += Self.size(of: data)
        state.withLock { $0.didAppend(entry, data) }
      }
    } catch {
      failure = fail(error)
    }
    let safeCount = entries.count { $0.mustBeSafe }
    var mayBeLarge = false
    var waiters: [@Sendable () -> Void] = []
    let mustSynchronize = state.withLock { state in
      state.isAppending = false
      waiters = state.takeIdleWaiters()
      // The size is checked once for 64 entries.
      mayBeLarge = (state.appendedCount + safeCount) / 64 > state.appendedCount / 64
      state.appendedCount += safeCount
      state.size += size
      guard safeCount > 0, durability.way != .operatingSystem, !state.isSynchronizing, !state.isOver else {
        return false
      }
      state.isSynchronizing = true
      return true
    }
    for waiter in waiters { waiter() }
    if let failure { tell(failure) }
    if mustSynchronize { startSynchronizing() }
    if mayBeLarge { compactIfNeeded() }
  }

  /// Returns the bytes of the next entry to append, and counts the entry.
  private func data(of entry: JournalEntry) -> Data { entry.data(for: self, state.withLock { $0.count(entry) }) }

  /// The report of a failure, made once nothing waits for the thread: users' code may be called, and not return.
  private struct Failing {
    let error: any Error
    let tell: (@Sendable (any Error) -> Void)?
  }

  /// Stops all writing; returns the report to make, or `nil` if the journal was over already.
  private func fail(_ error: any Error) -> Failing? {
    let tell = callbacks.withLock { $0.whenFailed }
    let isFirst = state.withLock { state in
      defer { (state.isOver, state.pending) = (true, []) }
      if !state.isOver {
        state.failure = Failure(error: error, isKnown: tell != nil)
        state.isReportingFailure = true
      }
      return !state.isOver
    }
    guard isFirst else { return nil }
    if durability.continuesWithoutJournal {
      // This is a warning, which has to precede the end of the run.
      tell?(error)
      return Failing(error: error, tell: nil)
    }
    return Failing(error: error, tell: tell)
  }

  /// Stops all writing because of an error outside of an append, and reports it to the run.
  func giveUp(_ error: any Error) {
    if let failing = fail(error) { tell(failing) }
  }

  private func tell(_ failing: Failing) {
    failing.tell?(failing.error)
    let parked = state.withLock { state in
      defer { (state.isReportingFailure, state.parked) = (false, []) }
      return state.parked.map(\.resume)
    }
    for resume in parked { resume() }
  }

  // MARK: Synchronizing

  private func startSynchronizing() {
    var time = Duration.zero
    if case .grouped(let longest) = durability.way { time = longest }
    // Without a delay, the synchronization has to end before a driven clock's time continues.
    let clock = time > .zero ? nil : clock
    clock?.hold(true)
    // The waiting task must not retain anything of a run that may end before.
    let synchronizer = Task { [weak self, time] in
      defer { clock?.hold(false) }
      repeat {
        if time > .zero { try? await Task.sleep(for: time) }
      } while await self?.synchronizeOnce() ?? false
    }
    let isOver = state.withLock { state in
      if !state.isEnding { state.synchronizer = synchronizer }
      return state.isEnding
    }
    if isOver { synchronizer.cancel() }
  }

  /// Synchronizes the entries that are appended now; returns true if there are more.
  private func synchronizeOnce() async -> Bool {
    let count = state.withLock { state -> Int? in
      guard !state.isEnding else { return nil }
      state.isAtDisk = true
      return state.appendedCount
    }
    guard let count else { return false }
    clock?.hold(true)
    defer { clock?.hold(false) }
    var failure: Failing?
    do { try await journal.synchronize() } catch { failure = fail(error) }
    // Work that waits for a failed synchronization continues after the run was notified.
    didSynchronize(synchronized: failure == nil ? count : 0)
    if let failure { tell(failure) }
    return mustContinue()
  }

  private func didSynchronize(synchronized count: Int) {
    let (ready, waiters) = state.withLock { state -> ([@Sendable () -> Void], [@Sendable () -> Void]) in
      state.synchronizedCount = max(state.synchronizedCount, count)
      state.isAtDisk = false
      let ready = state.parked.filter { $0.count <= state.synchronizedCount }
      state.parked.removeAll { $0.count <= state.synchronizedCount }
      return (ready.map(\.resume), state.takeIdleWaiters())
    }
    for waiter in waiters { waiter() }
    for resume in ready { resume() }
  }

  private func mustContinue() -> Bool {
    state.withLock { state in
      state.isSynchronizing = !state.isOver && state.appendedCount > state.synchronizedCount
      return state.isSynchronizing
    }
  }

  /// The error of writing or reading because of which the run is left; `nil` if there is none.
  var endingFailure: (any Error)? {
    state.withLock { $0.left?.error ?? (durability.continuesWithoutJournal ? nil : $0.failure?.error) }
  }

  /// True if nothing more is written.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Returns true, and calls `resume` later, if entries must be appended or, with `.everySettlement`, synchronized.
  func isWriting(thenCall resume: @escaping @Sendable () -> Void) -> Bool {
    if durability.way == .everySettlement { return holdsBack(resume) }
    return state.withLock { state in
      if state.isReportingFailure {
        state.parked.append((resume, state.acceptedCount))
        return true
      }
      guard !state.isOver, state.isAppending || !state.pending.isEmpty else { return false }
      state.whenAppended.append(resume)
      return true
    }
  }

  /// Returns true if work has to wait until earlier settlements survive a power failure, or until the run is notified
  /// that they won't; `resume` is called then.
  func holdsBack(_ resume: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      let isUnsafe = !state.isOver && state.acceptedCount > state.synchronizedCount
      guard state.isReportingFailure || isUnsafe else { return false }
      state.parked.append((resume, state.acceptedCount))
      return true
    }
  }

  // MARK: The end

  /// Appends the last entry, and calls `done` once the entry is as safe as promised, and the journal is closed.
  ///
  /// The argument of `done` is the reason why an entry could not be written, or why the run is left; otherwise `nil`.
  func end(_ ending: JournalEnding, done: @escaping @Sendable (Failure?) -> Void) {
    // From here on, `done` reports a failure.
    callbacks.withLock { $0.whenFailed = nil }
    let finish: @Sendable () -> Void = { self.closeWhenIdle(done) }
    let isOver = state.withLock { state in
      if state.isOver { return true }
      if state.isAccepting {
        state.pending.append(.ended(ending))
        state.acceptedCount += 1
      } else if state.left != nil, !state.isSuspended, state.hasBegun {
        state.pending.append(.left)
        state.acceptedCount += 1
      }
      state.whenAppended.append {
        guard self.durability.way != .operatingSystem else { return finish() }
        self.clock?.hold(true)
        Task {
          defer { self.clock?.hold(false) }
          // `done` reports this failure.
          do { try await self.journal.synchronize() } catch { self.giveUp(error) }
          finish()
        }
      }
      return false
    }
    if isOver { finish() } else { flush() }
  }

  /// Closes the journal once nothing is running in it, so that it can be opened again immediately.
  private func closeWhenIdle(_ done: @escaping @Sendable (Failure?) -> Void) {
    let close: @Sendable () -> Void = {
      self.leaveInOrder()
      self.close()
      done(self.state.withLock { $0.failure ?? $0.left })
    }
    let waiters = state.withLock { state in
      state.isEnding = true
      state.whenIdle.append(close)
      return state.takeIdleWaiters()
    }
    for waiter in waiters { waiter() }
  }

  /// Appends that the run was left, if writing has failed: attempts that had begun must not count as crashes.
  private func leaveInOrder() {
    let (begin, flowName) = state.withLock { ($0.failure == nil ? nil : $0.lastBegin, $0.flowName) }
    guard let begin else { return }
    do { try journal.append(JournalEntry.left.data) } catch { RunsLeftHere.shared.insert(id, of: flowName, begin) }
  }

  /// Closes the journal, and drops its pending entries and its closures.
  func close() {
    let synchronizer = state.withLock { state in
      (state.isOver, state.isEnding, state.pending) = (true, true, [])
      defer { state.synchronizer = nil }
      return state.synchronizer
    }
    synchronizer?.cancel()
    journal.close()
    // The closures are freed after the lock is released.
    _ = callbacks.withLock { callbacks in
      defer { callbacks = Callbacks() }
      return callbacks
    }
  }
}
