import Foundation
import OperationFlow
import OperationFlowStorage

/// The journal of a run that is under way: takes entries in the order in which the run decides them, and appends them
/// in that order, outside the run's lock.
///
/// A thread that comes while another one appends leaves its entries to that one, so no thread waits for a file.
final class RunJournal: Sendable {
  /// Why something could not be written.
  struct Failure: Sendable {
    let error: any Error
    /// Whether the run was told of it when it happened.
    let isKnown: Bool
  }

  let id: String
  let sealing: FlowSealing?
  let durability: FlowDurability
  let journal: any FlowJournal
  /// The clock of the run, if it is driven by a program: it passes no time while the journal works with files.
  let clock: (any DrivenClock)?
  let store: any FlowStore
  /// Whether the order in which the items of a group have ended matters later.
  let keepsOrder: @Sendable (Int) -> Bool
  /// For how long the time of a step's work matters.
  let ratePeriod: @Sendable (Int) -> Duration?
  let state = Locked(State())
  /// The texts of sensitive values that the run has had, which no error and no name may show that is stored.
  let secrets = Locked(SecretTexts())
  /// The names of the bucket that were hidden when an error was stored last, so that no error is a reason to look at all.
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

  /// Sets what happens if an entry can't be written.
  func onFailure(_ body: @escaping @Sendable (any Error) -> Void) { callbacks.withLock { $0.whenFailed = body } }

  /// Sets who is told of what is wrong and stops nothing.
  func onWarning(_ body: @escaping @Sendable (String) -> Void) { callbacks.withLock { $0.whenWarned = body } }

  /// Tells of a problem that stops nothing, and of the error that is its cause.
  func warn(_ problem: String, _ error: any Error) {
    let warn = callbacks.withLock { $0.whenWarned }
    warn?("\(problem): \(ValueText.describe(error: error))")
  }

  /// Sets what is stored in place of an error.
  func onStoredError(_ body: @escaping @Sendable (any Error) -> any Error) {
    callbacks.withLock { $0.whenErrorIsStored = body }
  }

  /// What is stored in place of an error; calls users' code.
  func stored(_ error: any Error) -> any Error {
    let replace = callbacks.withLock { $0.whenErrorIsStored }
    return replace?(error) ?? error
  }

  /// What is stored in place of the name of work, which may have been made of a sensitive value.
  func stored(_ name: String) -> String { secrets.withLock { $0 }.scrubbing(name) }

  // MARK: Entries

  /// Appends how the attempts ended in which the last process did, before the run goes on.
  func append(_ interrupted: [JournalSettlement]) async throws {
    if interrupted.isEmpty { return }
    do {
      try await FileWork.perform { [self] in
        for settlement in interrupted { try journal.append(data(of: .settled(settlement))) }
      }
    } catch let error where !(error is CancellationError) {
      throw FlowError.storeError(error)
    }
  }

  func appendFirst(_ entry: Data) throws { try journal.append(entry) }

  func synchronizeFirst() async throws { try await journal.synchronize() }

  /// Replaces the first entries before the run goes on, by others that take about as much room.
  func replaceFirst(_ count: Int, with entries: [Data]) async throws {
    do { try await journal.replaceEntries(first: count, with: entries) } catch { throw FlowError.storeError(error) }
  }

  /// Takes an entry under the run's lock, which decides the order; `flush()` follows outside it.
  func take(_ entry: JournalEntry) {
    state.withLock { state in
      guard state.isTaking else { return }
      state.rest = nil
      if case .begins = entry { state.hasBegun = true }
      state.pending.append(entry)
      if entry.mustBeSafe { state.takenCount += 1 }
    }
  }

  /// Takes the last entry before a resume: what settles from now on counts for nothing.
  ///
  /// A run that has done nothing since it rested last, or since it was opened, leaves its journal as it is.
  func putAway(with rest: JournalRest?) {
    let mustSay = state.withLock { rest == nil ? $0.hasBegun : $0.rest != rest }
    if mustSay { take(rest.map { .rests($0) } ?? .left) }
    state.withLock { $0.isPutAway = true }
  }

  /// Sets what leaves the run to be resumed.
  func onLeaving(_ body: @escaping @Sendable (FlowError, FlowEvent.Source?) -> Void) {
    callbacks.withLock { $0.whenLeft = body }
  }

  /// Asks the run to be left to be resumed, because a value that it had can't be used; `reader` is who needs it.
  func requestLeave(_ error: FlowError, by reader: FlowEvent.Source? = nil) {
    let leave = callbacks.withLock { $0.whenLeft }
    leave?(error.leavingRun, reader)
  }

  /// Takes no more entries, because something that the run needs can't be read.
  func leave(because error: FlowError) {
    state.withLock { $0.left = $0.left ?? Failure(error: error, isKnown: true) }
  }

  /// Whether the run goes on later.
  var isPutAway: Bool { state.withLock { $0.isPutAway } }

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
    var failure: Failing?
    var size = 0
    do {
      for entry in entries {
        let data = data(of: entry)
        try journal.append(data)
        size += Self.size(of: data)
        state.withLock { $0.note(entry, data) }
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
      // The size is looked at now and then.
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

  /// The bytes of the entry that is appended next.
  private func data(of entry: JournalEntry) -> Data { entry.data(for: self, state.withLock { $0.count(entry) }) }

  /// What is left to do after a failure, once nothing waits for the thread: users' code may be told, and not return.
  private struct Failing {
    let error: any Error
    let tell: (@Sendable (any Error) -> Void)?
  }

  /// Writes nothing more; returns what follows, unless the journal is over already.
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
      // A warning, which has to come before the end of the run.
      tell?(error)
      return Failing(error: error, tell: nil)
    }
    return Failing(error: error, tell: tell)
  }

  /// Goes on without the journal, which can't be written when the run is resumed.
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
    // Nothing that it does at once may come after a moment of a clock that is driven by a program.
    let clock = time > .zero ? nil : clock
    clock?.hold(true)
    // While it waits, it keeps nothing of a run that may be over before.
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

  /// Synchronizes what is appended now; returns whether there is more.
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
    // What waits for a synchronization that has failed waits until the run has been told.
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

  /// Why something could not be written or read, if the run is left because of that.
  var endingFailure: (any Error)? {
    state.withLock { $0.left?.error ?? (durability.continuesWithoutJournal ? nil : $0.failure?.error) }
  }

  /// Whether nothing more is written.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Returns true if anything that was taken isn't appended yet, or isn't safe and has to be before anything else starts.
  func isWriting(thenCall resume: @escaping @Sendable () -> Void) -> Bool {
    if durability.way == .everySettlement { return holdsBack(resume) }
    return state.withLock { state in
      if state.isReportingFailure {
        state.parked.append((resume, state.takenCount))
        return true
      }
      guard !state.isOver, state.isAppending || !state.pending.isEmpty else { return false }
      state.whenAppended.append(resume)
      return true
    }
  }

  /// Whether work waits until what has settled before it survives a power failure, or until the run has been told that
  /// it won't; `resume` is called then.
  func holdsBack(_ resume: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      let isUnsafe = !state.isOver && state.takenCount > state.synchronizedCount
      guard state.isReportingFailure || isUnsafe else { return false }
      state.parked.append((resume, state.takenCount))
      return true
    }
  }

  // MARK: The end

  /// Appends the last entry, and calls `done` when it survives what the durability promises, and the journal is free.
  ///
  /// `done` is given why something could not be written, if so: the last entry, or what came before it.
  func end(_ ending: JournalEnding, done: @escaping @Sendable (Failure?) -> Void) {
    // From here on, `done` tells of a failure.
    callbacks.withLock { $0.whenFailed = nil }
    let finish: @Sendable () -> Void = { self.closeWhenIdle(done) }
    let isOver = state.withLock { state in
      if state.isOver { return true }
      if state.isTaking {
        state.pending.append(.ended(ending))
        state.takenCount += 1
      } else if state.left != nil, !state.isPutAway, state.hasBegun {
        state.pending.append(.left)
        state.takenCount += 1
      }
      state.whenAppended.append {
        guard self.durability.way != .operatingSystem else { return finish() }
        self.clock?.hold(true)
        Task {
          defer { self.clock?.hold(false) }
          // Who waits for the end learns of the failure by it.
          do { try await self.journal.synchronize() } catch { self.giveUp(error) }
          finish()
        }
      }
      return false
    }
    if isOver { finish() } else { flush() }
  }

  /// Closes it when nothing is at work in it any longer, so that it is free immediately.
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

  /// Says that the process has not ended in what has begun, if the journal could not be written: that is nobody's failure.
  private func leaveInOrder() {
    let (begin, flowName) = state.withLock { ($0.failure == nil ? nil : $0.lastBegin, $0.flowName) }
    guard let begin else { return }
    do { try journal.append(JournalEntry.left.data) } catch { RunsLeftHere.shared.insert(id, of: flowName, begin) }
  }

  /// Lets go of the journal, and of everything that waits for it.
  func close() {
    let synchronizer = state.withLock { state in
      (state.isOver, state.isEnding, state.pending) = (true, true, [])
      defer { state.synchronizer = nil }
      return state.synchronizer
    }
    synchronizer?.cancel()
    journal.close()
    // They are freed when the lock is released.
    _ = callbacks.withLock { callbacks in
      defer { callbacks = Callbacks() }
      return callbacks
    }
  }
}
