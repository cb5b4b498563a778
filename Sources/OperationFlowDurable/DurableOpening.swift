import Foundation
import OperationFlow
import OperationFlowStorage

/// Opens the journal of a run, and begins the run, or continues it.
struct DurableOpening {
  let flow: Flow
  let launch: Launch
  /// The run, which gets its engine here.
  let run: FlowRun
  let id: String
  let store: any FlowStore
  let data: FlowData
  /// The values that this call passes to the run.
  let given: [String: any Sendable]
  let durability: FlowDurability
  let sealing: FlowSealing?
  /// The names of the values that the journal doesn't store.
  let omitting: Set<String>
  let acceptsChanges: Bool
  /// True if a run that has failed is resumed where it failed.
  let retriesFailure: Bool

  init(
    flow: Flow, launch: Launch, id: String, store: any FlowStore, data: FlowData, given: [String: any Sendable],
    durability: FlowDurability, sealing: FlowSealing?, omitting: Set<String>, acceptsChanges: Bool,
    retriesFailure: Bool = false
  ) {
    self.flow = flow
    self.launch = launch
    self.id = id
    self.store = store
    self.data = data
    self.given = given
    self.durability = durability
    self.sealing = sealing
    self.omitting = omitting
    self.acceptsChanges = acceptsChanges
    self.retriesFailure = retriesFailure
    run = flow.makeUnopenedRun(launch, data)
  }

  /// A run that was opened.
  enum Opened {
    case ended(FlowOutcome)
    case underWay(FlowRun, RunJournal)
  }

  /// Opens the run in a task, and returns it at once; nothing begins if the caller is cancelled already.
  func start(isCancelled: Bool) -> FlowRun {
    // The time of a clock that a program drives stops while files are read.
    launch.drivenClock?.hold(true)
    let task = Task {
      defer { launch.drivenClock?.hold(false) }
      var isNew = false
      do {
        if isCancelled { throw CancellationError() }
        if case .ended(let outcome) = try await open(&isNew) { run.endUnopened(outcome) }
      } catch { flow.refuse(run, launch, data, error, isNew: isNew) }
    }
    run.open(in: task)
    return run
  }

  /// Opens the run; `isNew` becomes true if the run is known not to have begun.
  ///
  /// The journal of a refused run stays, empty if the run hasn't begun: another call may use the journal by now.
  func open(_ isNew: inout Bool) async throws -> Opened {
    if Mailbox.isReserved(id) { throw FlowError.reservedIdentifier(id) }
    try Task.checkCancellation()
    var found = try await FoundJournal.open(id, store)
    isNew = found.beginning == nil
    do {
      try found.checkFlow(launch.flowName, id, acceptsChanges)
      let isRetried = retriesFailure && found.hasFailed
      if isRetried { found = try found.retried(id) }
      let retried = isRetried ? found : nil
      if let ending = found.ending {
        found.journal.close()
        // Messages are left if the run's process ended before it removed them.
        try await FileWork.perform { [mailbox = Mailbox(run: id, store: store)] in mailbox.removeIfThere() }
        let keepsPaths = found.beginning?.shape == launch.shape
        return .ended(
          try ending.opened(sealing).outcome(
            launch, data, found.endedEntries, keepsPaths: keepsPaths, sealing))
      }
      let journal = RunJournal(
        id, found.journal, size: found.size, rest: found.rest, of: store, durability, sealing, on: launch.drivenClock,
        ratePeriod: { [launch] in launch.ratePeriod(of: $0) },
        keepsOrder: { [launch] in launch.keepsItemOrder(of: $0) })
      let counter = found.beginning?.head.isCounted ?? true ? JournalCounter() : nil
      journal.state.withLock { [launch] in ($0.flowName, $0.counter) = (launch.flowName, counter) }
      let change = try found.adopt(launch.shape, of: launch.flowName, id, acceptsChanges)
      try await engage(journal, found, change, retried)
      return .underWay(run, journal)
    } catch {
      found.journal.close()
      throw error
    }
  }

  /// Creates the engine of the run, restores the run if it has begun before, and begins it, or continues it.
  ///
  /// The journal of a failed run becomes that of a retried one only when it is certain that the run can be resumed.
  private func engage(
    _ journal: RunJournal, _ found: FoundJournal, _ change: ChangedShape?, _ retried: FoundJournal?
  ) async throws {
    let bucket = run.bucket
    if found.beginning == nil { for (name, value) in data.values { bucket.replace(value, named: name) } }
    // A flow of the same shape was validated when the run began.
    if found.beginning == nil, let error = launch.error(data: data) { throw error }
    if let change, let beginning = found.beginning {
      let data = data.merging(beginning.values(journal.sealing))
      if let error = launch.error(data: data, besides: change.begunPaths) { throw error }
    }
    let keeper = JournalKeeper(journal, of: bucket, omitting: omitting, in: launch.blueprint)
    do {
      try await flow.engage(run, launch, keeper) { engine in
        journal.onFailure { journal.tell($0, engine) }
        journal.onLeaving { engine.leave($0, by: $1, journal) }
        journal.onWarning { engine.warn($0) }
        journal.onStoredError { [writes = keeper.writes] in journal.storedError($0, bucket, writes) }
        return try await prepare(engine, keeper, found, change, retried)
      }
    } catch {
      keeper.leaveRoom()
      journal.close()
      throw error
    }
  }

  /// Writes the first entry, or restores the run from its entries; returns the closure that lets the run continue.
  private func prepare(
    _ engine: RunEngine, _ keeper: JournalKeeper, _ found: FoundJournal, _ change: ChangedShape?,
    _ retried: FoundJournal?
  ) async throws -> @Sendable () -> Void {
    let journal = keeper.journal
    let begun = found.beginning?.date ?? engine.now.inWholeMilliseconds
    let mailbox = Mailbox(run: id, store: store)
    keeper.connect(engine, to: mailbox, begun: begun)
    if let repair = found.repair { engine.warn("its journal was repaired: \(repair)") }
    guard let beginning = found.beginning else {
      try Task.checkCancellation()
      let values = keeper.encode(engine.bucket.values)
      try await journal.begin(
        JournalBeginning(
          flowName: launch.flowName, date: begun, shape: launch.shape, data: values,
          hiddenSignals: keeper.hiddenSignals.sorted()))
      keeper.writes.begin(after: 0)
      keeper.enterRoom()
      if let room = keeper.room, keeper.hasWaits { try await FileWork.perform { try room.openMailbox() } }
      return { engine.begin() }
    }
    let values = JournalValues(engine, keeper, given: data.values, passed: given)
    for write in beginning.data { try values.restore(write) }
    for (name, value) in data.values where !beginning.data.contains(where: { $0.name == name }) {
      engine.bucket.replace(value, named: name)
    }
    var replay = JournalReplay(engine, keeper, values)
    do {
      // A sequence that repeats its elements may wait for time.
      launch.drivenClock?.hold(false)
      defer { launch.drivenClock?.hold(true) }
      try await replay.restore(found.entries)
    } catch let error as FlowError where error.code == .changedFlow {
      // A sequence ends early in a task that is cancelled.
      try Task.checkCancellation()
      throw error
    }
    if let error = values.mismatch { throw error }
    if let error = try missing(found.entries, engine.bucket.unavailableNames) { throw error }
    // In a task that was cancelled meanwhile, nothing continues: the run is left to be resumed.
    try Task.checkCancellation()
    if let retried { try await store.write(retried, of: id) }
    if let change { try await journal.rewrite(found, for: change, hiding: keeper.hiddenSignals) }
    // A signal that was sent in time has priority over an expired time, so the mailbox is read before that.
    keeper.enterRoom()
    if let room = keeper.room { try await FileWork.perform { try room.openMailbox() } }
    try await journal.append(replay.interrupted)
    try await journal.resume()
    let restored = replay.restoration
    return { engine.begin(resuming: RestoredRun(record: engine.recordRestored, rest: { restored.rest })) }
  }

  /// Returns the error of a value that the run is certain to miss later; `nil` if there is none.
  private func missing(_ entries: [Data], _ names: [String: Bool]) throws -> FlowError? {
    if names.isEmpty { return nil }
    let reached = try ResumePosition(entries, in: launch.shape)
    if reached.isAtEnd { return nil }
    return try MissingAfterResume.find(launch, reached.settled, names) { name in
      for entry in entries.reversed() {
        guard case .settled(let settlement) = try JournalEntry(entry) else { continue }
        if settlement.parts.writes.contains(where: { $0.name == name }) { return settlement.work.step }
      }
      return nil
    }
  }
}

extension RunJournal {
  /// Leaves the run because the journal can't be written, or warns that the run continues without the journal.
  fileprivate func tell(_ error: any Error, _ engine: RunEngine) {
    if durability.continuesWithoutJournal {
      return engine.warn("goes on without its journal, which can't be written: \(ValueText.describe(error: error))")
    }
    engine.keepingDidFail(.storeError(error))
  }
}
