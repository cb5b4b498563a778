import Foundation
import OperationFlow
import OperationFlowStorage

/// Resumes the unfinished runs of a store, and wakes those that wait when they are due or have been sent a signal.
///
/// ```swift
/// let supervisor = FlowSupervisor(FileFlowStore(folder: folder), flows: [flow])
/// try await supervisor.run()  // until its task is cancelled
/// ```
/// A run that does nothing but wait is put away: its journal is closed, and of the run nothing stays in memory but its
/// identifier and a date. One process at a time can supervise a store; others can run flows in it, and send signals. You can
/// call every member from any thread.
public final class FlowSupervisor: Sendable {
  /// How a supervisor stands.
  public struct Status: Sendable {
    /// How many runs are under way in memory.
    public let runningCount: Int
    /// How many runs have been put away until they are due or are sent a signal.
    public let waitingCount: Int
    /// The runs that it leaves alone, in the order of their identifiers: each has its ``FlowUnfinishedRun/error``.
    public let leftRuns: [FlowUnfinishedRun]
  }

  private let store: any FlowStore
  private let flows: [Flow]
  private let data: [String: any Sendable]
  private let durability: FlowDurability
  private let sealing: FlowSealing?
  private let omitting: Set<String>
  private let clock: any Clock<Duration>
  private let dates: RunDates
  private let whenEnded: @Sendable (String, FlowOutcome) -> Void
  private let state: Locked<SupervisorState>
  /// Wakes the supervisor; one stream for each time that it runs.
  private let waker = Locked<AsyncStream<Void>.Continuation?>(nil)

  /// Creates a supervisor; nothing is read before ``run()``.
  ///
  /// - Parameters:
  ///   - store: Where the runs are kept.
  ///   - flows: The flows whose runs it resumes, each with a name of its own.
  ///   - count: How many runs are resumed and woken at once; a run that you begin starts at once in any case.
  ///   - data: Values that every run is given when it is resumed, such as those that its journal doesn't store.
  ///   - durability: The part of the results that survives a power failure.
  ///   - sealing: Encrypts and decrypts sensitive values.
  ///   - omitting: The names of values that the journals don't store.
  ///   - clock: What the dates of waiting runs are compared with; the flows should have the same.
  ///   - whenEnded: Called when a run has ended, with its identifier and its outcome, on any thread.
  public init(
    _ store: any FlowStore, flows: [Flow], atMost count: Int = 64, with data: [String: any Sendable] = [:],
    durability: FlowDurability = .grouped(), sealing: FlowSealing? = nil, omitting: Set<String> = [],
    clock: any Clock<Duration> = ContinuousClock(),
    whenEnded: @escaping @Sendable (String, FlowOutcome) -> Void = { _, _ in }
  ) {
    (self.store, self.flows, self.data, self.sealing, self.clock) = (store, flows, data, sealing, clock)
    (self.durability, self.omitting, self.whenEnded) = (durability, omitting, whenEnded)
    dates = RunDates(by: clock)
    state = Locked(SupervisorState(limit: max(1, count)))
  }

  /// How many runs are under way, wait, or are left alone, and why.
  public var status: Status {
    state.withLock { state in
      Status(
        runningCount: state.running.count, waitingCount: state.resting.count,
        leftRuns: state.left.values.sorted { $0.id < $1.id })
    }
  }

  /// How often it has looked at the store and at its runs, since it began.
  var roundCount: Int { state.withLock { $0.rounds } }

  // MARK: Running

  /// Resumes all unfinished runs of its flows, and looks after the store until the task is cancelled.
  ///
  /// When the task is cancelled, nothing more begins: what is at work is cancelled and left to be resumed, and this
  /// returns when all of it has settled. Nothing is undone, because no run has ended.
  ///
  /// - Throws: `FlowError` with the code `runInUse` if the store has another supervisor; `unknownFlow` if two flows have the
  ///   same name; the store's error if it can't be read.
  public func run() async throws {
    try checkNames()
    let store = store
    let hold: any FlowJournal
    do {
      hold = try await FileWork.perform { try store.openJournal(of: Mailbox.supervisor).journal }
    } catch let error as FlowError where error.code == .runInUse {
      throw FlowError.secondSupervisor(error)
    }
    defer { hold.close() }
    let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    waker.withLock { $0 = continuation }
    let ticker = Task {
      // By the system's time: what other processes do is on no other clock.
      while (try? await Task.sleep(for: .milliseconds(250))) != nil { continuation.yield() }
    }
    let alarm = SupervisorAlarm(clock) { continuation.yield() }
    defer {
      ticker.cancel()
      alarm.cancel()
    }
    do {
      try await skipBell()
      try await withTaskCancellationHandler {
        try await look()
        await wake(alarm)
        for await _ in wakes {
          if Task.isCancelled { break }
          try await readBell()
          await wake(alarm)
        }
      } onCancel: {
        continuation.finish()
      }
    } catch {
      await putAllAway()
      if !(error is CancellationError) { throw FlowError.storeError(error) }
      return
    }
    await putAllAway()
  }

  private func wakeUp() { _ = waker.withLock { $0 }?.yield() }

  private func checkNames() throws {
    var names: Set<String> = []
    for flow in flows where !names.insert(flow.name).inserted { throw FlowError.sameNames(flow.name) }
  }

  /// Begins a run of one of its flows, or goes on with one, and returns once the run's beginning is in its journal.
  ///
  /// Call it while ``run()`` is under way, for only that puts the run away and wakes it.
  ///
  /// - Parameters:
  ///   - id: What identifies the run in the store.
  ///   - flowName: The name of its flow.
  ///   - data: Values that the run's bucket starts with.
  /// - Throws: `FlowError` with the code `unknownFlow` if the supervisor has no such flow, `runInUse` if the run is under way,
  ///   `changedFlow` if it was begun by another flow, or the store's error.
  public func begin(_ id: String, of flowName: String, with data: [String: any Sendable] = [:]) async throws {
    guard let flow = flows.firstIndex(where: { $0.name == flowName }) else {
      throw FlowError.unknownFlow(flowName)
    }
    guard state.withLock({ $0.begin(id) }) else { throw FlowError.runInUse(id, by: "this supervisor") }
    do { try await open(id, flow, data) } catch {
      state.withLock { $0.end(id) }?.resume()
      // It may be one that is to be gone on with.
      wakeUp()
      throw error
    }
  }

  // MARK: Looking at the store

  private func skipBell() async throws {
    let bell = MailboxBell(store: store)
    let last = try await FileWork.perform { try bell.entries(after: 0).new.last?.number ?? 0 }
    state.withLock { $0.lastRing = last }
  }

  /// Looks at all runs of the store, once.
  private func look() async throws {
    let (store, names) = (store, flows.map(\.name))
    try await FileWork.perform { [self] in
      for id in try store.runIDs() where !Mailbox.isReserved(id) {
        let found = FoundRun(id, in: store, names)
        state.withLock { $0.note(found, id) }
      }
      for run in try store.unreadableRuns() { state.withLock { $0.note(.left(run), run.id) } }
      state.withLock { $0.endLook() }
    }
  }

  /// Makes those ready that have been sent a signal.
  private func readBell() async throws {
    let (store, last) = (store, state.withLock { $0.lastRing })
    let (rung, isGap) = try await FileWork.perform { try MailboxBell(store: store).entries(after: last) }
    state.withLock { state in
      if let newest = rung.last { state.lastRing = newest.number }
      for entry in rung { state.makeReady(entry.run) }
      if isGap { state.makeAllReady() }
      state.noteRound()
    }
  }

  // MARK: Carrying runs

  /// Begins what is due or has been rung for, and puts away what only waits.
  private func wake(_ alarm: SupervisorAlarm) async {
    // The task may have been cancelled while the store was read.
    if Task.isCancelled { return }
    for run in state.withLock({ $0.running.values.compactMap(\.run) }) { _ = run.putAway(before: dates.now.date) }
    let now = dates.now.date
    let (begun, next) = state.withLock { ($0.takeReady(at: now), $0.firstDue) }
    for run in begun {
      Task { [self] in
        do { try await goOn(run.id, run.flow) } catch { fail(run.id, run.flow, error) }
      }
    }
    alarm.set(next.map { dates.rest(until: $0.timeIntervalSince(now)) })
  }

  /// Opens a run that has begun, unless its journal was removed in the meantime, or the supervisor stops.
  private func goOn(_ id: String, _ flow: Int) async throws {
    let entries = try await FileWork.perform { [store] in try store.readJournal(of: id) }
    let isStopping = state.withLock { $0.isStopping }
    if !isStopping, entries?.isEmpty == false { return try await open(id, flow, [:]) }
    state.withLock { $0.end(id) }?.resume()
    wakeUp()
  }

  private func open(_ id: String, _ number: Int, _ given: [String: any Sendable]) async throws {
    let flow = flows[number]
    let passed = data.merging(given) { $1 }
    let opening = DurableOpening(
      flow: flow, launch: flow.makeLaunch(), id: id, store: store, data: flow.startingData.merging(passed),
      given: passed,
      durability: durability, sealing: sealing, omitting: omitting, acceptsChanges: false)
    var isNew = false
    switch try await opening.open(&isNew) {
    case .ended(let outcome):
      state.withLock { $0.open(id, nil) }
      end(id, outcome)
    case .underWay(let run, let journal): carry(id, number, SupervisedRun(run, journal))
    }
  }

  /// Awaits the end of a run, or its being put away.
  private func carry(_ id: String, _ flow: Int, _ supervised: SupervisedRun) {
    let mustStop = state.withLock { state in
      state.open(id, supervised)
      return state.isStopping
    }
    supervised.room?.onWait { [weak self] in self?.wakeUp() }
    wakeUp()
    if mustStop { supervised.stop() }
    Task { [self] in
      let outcome = await supervised.run.outcome
      if let failure = supervised.journal.endingFailure {
        // It isn't over, and someone has to see to the store, or to the flow, before it can go on.
        whenEnded(id, outcome)
        return fail(id, flow, failure)
      }
      guard supervised.journal.isPutAway else { return end(id, outcome) }
      // What was sent at the last moment has rung before the run was put away.
      let (store, rest) = (store, supervised.rest)
      let count = try? await FileWork.perform { try store.readJournal(of: Mailbox.id(of: id))?.count ?? 0 }
      state.withLock { $0.rest(id, flow, rest, isRung: count != rest?.messageCount) }?.resume()
      wakeUp()
    }
  }

  private func end(_ id: String, _ outcome: FlowOutcome) {
    whenEnded(id, outcome)
    state.withLock { $0.end(id) }?.resume()
    wakeUp()
  }

  private func fail(_ id: String, _ flow: Int, _ error: any Error) {
    let error = FlowError.storeError(error)
    let left = FlowUnfinishedRun(
      id: id, flowName: flows[flow].name, since: .distantPast, settledStepCount: 0, settledItemCount: 0, error: error)
    state.withLock { $0.fail(id, flow, left) }?.resume()
    wakeUp()
  }

  /// Leaves everything to be resumed, and returns when all that is at work has settled.
  private func putAllAway() async {
    let running = state.withLock { state in
      state.isStopping = true
      return state.running.values.compactMap(\.run)
    }
    for run in running { run.stop() }
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if !state.running.isEmpty { state.whenStopped = continuation }
        return state.running.isEmpty
      }
      if isDone { continuation.resume() }
    }
    state.withLock { $0 = SupervisorState(limit: $0.limit) }
  }
}
