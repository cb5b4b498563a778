import Foundation

extension Flow {
  /// Runs the flow so that it survives the end of the process: starts it, or resumes what was started under the same
  /// identifier.
  ///
  /// What has settled isn't run again: steps, items, branches, attempts and undos. What was at work when the earlier
  /// process ended is run again, with the same ``FlowContext/idempotencyKey``. If the run has ended, this returns how it
  /// did, and runs nothing. <doc:DurableRuns> says what is stored.
  ///
  /// Cancelling the awaiting task cancels the run, which is an end like any other. Values that the run has stored count
  /// more than those that it is given again; sensitive values, and those that aren't `Codable`, come from `data` each time.
  ///
  /// - Parameters:
  ///   - id: What identifies the run in the store: a text that isn't empty.
  ///   - store: Where its journal is kept.
  ///   - data: Values that the run's bucket starts with; they override those that the flow was given.
  ///   - durability: What survives a power failure.
  ///   - sealing: Encrypts sensitive values; without it, they aren't stored.
  ///   - acceptsChanges: If true, steps after everything that has begun may differ from those of the flow that began the
  ///     run; the step after the last one that has settled counts as begun.
  /// - Returns: How the run ended. A run that another call or process is running fails with ``FlowError/Code/runInUse``,
  ///   and a flow that has changed otherwise with ``FlowError/Code/changedFlow``.
  public func run(
    id: String, in store: any FlowStore, with data: [String: any Sendable] = [:],
    durability: FlowDurability = .grouped(), sealing: FlowSealing? = nil, acceptsChanges: Bool = false
  ) async -> FlowOutcome {
    await runDurably(id, store, startingData.merging(data), given: data, durability, sealing, acceptsChanges)
  }

  /// Runs the flow with typed data so that it survives the end of the process.
  ///
  /// It does what ``run(id:in:with:durability:sealing:acceptsChanges:)`` does. A sensitive key's value is shown as
  /// `<redacted>`.
  ///
  /// - Parameters:
  ///   - id: What identifies the run in the store: a text that isn't empty.
  ///   - store: Where its journal is kept.
  ///   - durability: What survives a power failure.
  ///   - sealing: Encrypts sensitive values; without it, they aren't stored.
  ///   - acceptsChanges: If true, steps after everything that has begun may differ from those of the flow that began the
  ///     run; the step after the last one that has settled counts as begun.
  ///   - change: Changes the values that the run's bucket starts with, which are those that the flow was given.
  /// - Returns: How the run ended.
  /// - Throws: The error that `change` throws; nothing is started then.
  public func run(
    id: String, in store: any FlowStore, durability: FlowDurability = .grouped(), sealing: FlowSealing? = nil,
    acceptsChanges: Bool = false, _ change: (inout FlowData) throws -> Void
  ) async rethrows -> FlowOutcome {
    let data = try startingData.changed(by: change)
    return await runDurably(id, store, data, given: data.assigned, durability, sealing, acceptsChanges)
  }

  private func runDurably(
    _ id: String, _ store: any FlowStore, _ data: FlowData, given: [String: any Sendable],
    _ durability: FlowDurability, _ sealing: FlowSealing?, _ acceptsChanges: Bool
  ) async -> FlowOutcome {
    let launch = makeLaunch(on: nil)
    var isNew = false
    do {
      // The entries that were found are freed before the run is awaited.
      switch try await open(launch, id, store, data, given: given, durability, sealing, acceptsChanges, &isNew) {
      case .ended(let outcome): return outcome
      case .underWay(let run): return await run.outcomeOrCancel
      }
    } catch {
      let ending = Settlement(error)
      if case .failed(let error as FlowError) = ending { return await refuse(launch, data, error, isNew: isNew) }
      return await refuse(launch, data, ending, isNew: isNew)
    }
  }

  /// A run that was opened.
  private enum Opened {
    case ended(FlowOutcome)
    case underWay(FlowRun)
  }

  /// Opens the journal, and begins the run, or lets it go on.
  ///
  /// The journal of a run that is refused stays, empty if the run has not begun: it may be another's by now. `isNew` says
  /// whether the run is known not to have begun.
  private func open(
    _ launch: Launch, _ id: String, _ store: any FlowStore, _ data: FlowData, given: [String: any Sendable],
    _ durability: FlowDurability, _ sealing: FlowSealing?, _ acceptsChanges: Bool, _ isNew: inout Bool
  ) async throws -> Opened {
    // No time passes on a clock that is driven by a program while files are read.
    launch.drivenClock?.hold(true)
    defer { launch.drivenClock?.hold(false) }
    var found = try await FoundJournal.open(id, store)
    isNew = found.beginning == nil
    do {
      if let ending = found.ending {
        found.journal.close()
        let table = found.beginning?.shape == launch.shape ? launch.facts.table : nil
        // It hides the values that are given again, and those that the journal has: others are no longer known.
        let names = data.sensitiveNames.union(launch.sensitiveNames)
        let log = launch.recorder.log.emptied(hiding: names, of: data.values)
        return .ended(try ending.opened(sealing).outcome(flowName: name, table, sealing, log))
      }
      let blueprint = launch.blueprint
      let journal = RunJournal(
        id, found.journal, of: store, durability, sealing, on: launch.drivenClock,
        ratePeriod: { blueprint.ratePeriod(of: $0) },
        keepsOrder: { blueprint.keepsItemOrder(of: $0) })
      let change = try found.adopt(launch.shape, id, acceptsChanges)
      return .underWay(try await makeRun(launch, data, given: given, journal, found, change))
    } catch {
      found.journal.close()
      throw error
    }
  }

  /// Makes the run, restores it if it has begun before, and lets it go on.
  private func makeRun(
    _ launch: Launch, _ data: FlowData, given: [String: any Sendable], _ journal: RunJournal, _ found: FoundJournal,
    _ change: ChangedShape?
  ) async throws -> FlowRun {
    let names = data.sensitiveNames.union(launch.sensitiveNames)
    let bucket = DataBucket(
      found.beginning == nil ? data.values : [:], sensitiveNames: names, recorder: launch.recorder)
    bucket.markUnstored(data.unstoredNames.union(launch.facts.unstoredNames))
    bucket.markSensitive(initialData.sensitiveNames)
    // A flow of the same shape was found to be right when the run began.
    if found.beginning == nil, let error = launch.error(data: data.values) { throw error }
    if let change, let beginning = found.beginning {
      let values = data.values.merging(beginning.values(journal.sealing)) { $1 }
      if let error = launch.error(data: values, besides: change.begunPaths) { throw error }
    }
    if let error = launch.reserveOperations() { throw error }
    let (finishBlock, willStart) = state.withLock { state in (didFinish(state), state.willStart) }
    let engine = launch.engine(bucket, nil, journal: journal, didFinish: finishBlock)
    journal.onFailure { engine.journalDidFail($0) }
    journal.onWarning { engine.recorder.record(.warned($0), source: engine.source) }
    journal.onResumption { engine.goOn(with: $0) }
    journal.onStoredError { engine.storedError($0, journal) }
    do {
      let begin = try await prepare(engine, launch, journal, found, change, data, given: given)
      let run = FlowRun(engine)
      let earlier = state.withLock { state in
        defer { state.run = run }
        return state.run
      }
      withExtendedLifetime(earlier) {}
      if let willStart { await willStart(self) }
      begin()
      return run
    } catch {
      launch.blueprint.discardInstances(bucket)
      launch.blueprint.finishOutlets(isReserved: true)
      journal.close()
      throw error
    }
  }

  /// Writes the first entry, or restores what the others say; returns what lets the run go on.
  private func prepare(
    _ engine: RunEngine, _ launch: Launch, _ journal: RunJournal, _ found: FoundJournal, _ change: ChangedShape?,
    _ data: FlowData, given: [String: any Sendable]
  ) async throws -> @Sendable () -> Void {
    if let repair = found.journal.repair {
      engine.recorder.record(.warned("its journal was repaired: \(repair)"), source: engine.source)
    }
    var replay = RunReplay(engine, journal, given: data.values, passed: given)
    guard let beginning = found.beginning else {
      try await journal.begin(engine.beginning(journal))
      engine.bucket.noteWrites(after: 0)
      return { engine.begin() }
    }
    for write in beginning.data { try replay.apply(write) }
    for (name, value) in data.values where !beginning.data.contains(where: { $0.name == name }) {
      engine.bucket.replace(value, named: name)
    }
    do {
      // A sequence that gives its elements again may wait for time.
      launch.drivenClock?.hold(false)
      defer { launch.drivenClock?.hold(true) }
      try await replay.restore(found.entries)
    } catch let error as FlowError where error.code == .changedFlow {
      // A sequence ends early in a task that is cancelled.
      try Task.checkCancellation()
      throw error
    }
    if let error = try MissingAfterResume.find(launch, found.entries, engine.bucket.withheldValues) { throw error }
    if let change { try await journal.rewrite(found, for: change) }
    try await journal.goOn()
    let restored = replay
    return { engine.begin(restored: restored) }
  }

  /// The outcome of a run that is refused; unless it is new, nothing is known of its steps.
  private func refuse(_ launch: Launch, _ data: FlowData, _ error: FlowError, isNew: Bool) async -> FlowOutcome {
    let bucket = DataBucket(
      data.values, sensitiveNames: data.sensitiveNames.union(launch.sensitiveNames), recorder: launch.recorder)
    let engine = launch.engine(bucket, error.located(flow: name, step: nil), didFinish: nil)
    if !isNew { engine.state.withLock { $0.facts.forgetSteps() } }
    let run = FlowRun(engine)
    run.begin()
    return await run.outcome
  }

  /// The outcome of a run that is cancelled before it goes on, or that code of its user keeps from it.
  private func refuse(_ launch: Launch, _ data: FlowData, _ ending: Settlement, isNew: Bool) async -> FlowOutcome {
    let recorder = launch.recorder
    let names = data.sensitiveNames.union(launch.sensitiveNames)
    let bucket = DataBucket(data.values, sensitiveNames: names, recorder: recorder)
    recorder.record(.flowStarted(bucket.listing()), source: .dataBucket)
    var facts = RunFacts(isNew ? launch.facts.table : nil)
    if case .failed(let error) = ending {
      facts.decide(
        .failed(
          FlowReport.Failure(
            name: FlowEvent.Source(name).description, path: nil, item: nil, attempt: 1, duration: .zero, error: error,
            isRefusal: true, step: nil)))
    } else {
      recorder.record(.cancelRequested, source: FlowEvent.Source(name))
      facts.decide(.cancelled(.task))
    }
    let items = bucket.listing()
    await withCheckedContinuation { continuation in
      recorder.seal(with: ending.recorded { .flowFinished($0, items) }, source: .dataBucket) { continuation.resume() }
    }
    facts.end(at: Date())
    let report = FlowReport(
      flowName: name, duration: .zero, stepCount: 0, itemFailures: [], data: bucket.values, log: recorder.log,
      facts: facts
    ).hidingSecrets
    if case .failed(let error) = ending { return .failed(error, report) }
    return .cancelled(report)
  }
}

extension Launch {
  /// What the journal of a run compares with the flow that resumes it.
  var shape: [StepShape] { blueprint.shape(facts.paths) }
}
