import Foundation

/// Restores a run from its journal: a fresh state machine claims the same work and is given the same results.
///
/// It is done by one task, before the run has lanes. What was at work when the earlier process ended is claimed at the
/// end and not settled, so it is performed again.
struct RunReplay {
  let engine: RunEngine
  let journal: RunJournal
  /// What the run was given now, and what the flow has, for values that it began with and that aren't stored.
  let given: [String: any Sendable]
  /// What this call has given it, which alone can stand for what a step had written.
  let passed: [String: any Sendable]
  private let timers = ReplayTimers()
  /// When the work is claimed: a time for each piece would cost more than the claim.
  private let now: Date
  /// What is claimed and not settled.
  private var open: [JournalWork: RunClaim] = [:]
  /// When attempts failed that another one follows.
  private var failedAt: [RunWork: Date] = [:]
  /// The timers of the delays before the next attempts.
  private var delays: [RunWork: TimerID] = [:]
  /// The number of the write that each name has its value from.
  private var numbers: [String: Int] = [:]
  private var starts = EarlierStarts()
  /// Results that were being handed on.
  private(set) var held: [Blueprint.StepID: HandingQueue.Held] = [:]

  init(
    _ engine: RunEngine, _ journal: RunJournal, given: [String: any Sendable], passed: [String: any Sendable]
  ) {
    (self.engine, self.journal, self.given, self.passed) = (engine, journal, given, passed)
    now = engine.dates.now
  }

  /// Restores it; the run goes on when the engine begins.
  mutating func restore(_ entries: [Data]) async throws {
    engine.recorder.mute(true)
    engine.bucket.noteWrites(after: 0)
    defer { engine.recorder.mute(false) }
    let budget = engine.state.withLock { state in
      state.isReplaying = true
      state.timers = timers
      state.beganAt = engine.dates.elapsed
      defer { state.machine.budget = RetryBudget(.unlimited) }
      return state.machine.budget
    }
    let beginning = engine.state.withLock { $0.machine.begin(deadline: engine.limits.deadline) }
    var changes = TimerChanges()
    changes.append(beginning)
    timers.take(changes)
    for data in entries {
      let entry = try JournalEntry(data).opened(journal.sealing)
      // Most work succeeds, one piece after the other, which needs nothing to be awaited.
      if case .settled(let settlement) = entry, try restoreAtOnce(settlement) { continue }
      try await restore(entry)
    }
    engine.state.withLock { state in
      let counted = state.machine.budget
      state.machine.budget = budget
      state.machine.budget.attemptCount = counted.attemptCount
      state.machine.budget.retryCount = counted.retryCount
    }
    engine.bucket.noteWrites(after: numbers.values.max() ?? 0)
    starts.tellLimiters(now: engine.dates.now)
  }

  /// What goes on when the run begins: claimed work, and timers with what is left of their time.
  var remainder: (claims: [RunClaim], timers: TimerChanges) {
    let now = engine.dates.now
    var changes = TimerChanges()
    engine.state.withLock { state in
      for (timer, time) in timers.started {
        guard let scope = state.machine.timers[timer]?.scope,
          let attempts = state.machine.tree.attempts(scope),
          attempts.stage == .delayed, let failed = failedAt[attempts.work]
        else {
          changes.append(.start(timer, time))
          continue
        }
        // Of a delay, what the time since the failure has left; a clock that was set back makes it no longer.
        let passed = Duration.seconds(max(0, now.timeIntervalSince(failed)))
        changes.append(.start(timer, max(.zero, time - passed)))
      }
    }
    let claims = open.values
    return (claims.sorted { $0.ticket.place < $1.ticket.place }, changes)
  }

  // MARK: Entries

  private mutating func restore(_ entry: JournalEntry) async throws {
    switch entry {
    case .begun: break
    case .settled(let settlement): try await restore(settlement)
    case .runs(let runs):
      for run in runs {
        for place in 0..<run.count {
          var settlement = JournalSettlement(
            date: .distantPast, work: JournalWork(run.work(at: place)), attempt: 1, result: .succeeded)
          settlement.output = run.outputs?[place]
          if try !restoreAtOnce(settlement) { try await restore(settlement) }
        }
      }
    case .decided(let decision): try await restore(decision)
    case .ended: throw FlowError.unreadableEntry
    }
  }

  /// Restores what has settled if its work is claimed next, or after work that is as well; false if more is needed.
  private mutating func restoreAtOnce(_ settlement: JournalSettlement) throws -> Bool {
    guard case .succeeded = settlement.result, !settlement.work.isHanding, settlement.claimed == nil,
      let claim = claim(settlement.work)
    else { return false }
    try settle(claim, settlement)
    return true
  }

  private mutating func restore(_ settlement: JournalSettlement) async throws {
    for claimed in settlement.claimed ?? [] where !claimed.isHanding { _ = try await find(claimed) }
    if settlement.work.isHanding {
      for write in settlement.writes { try apply(write, of: settlement.work.work) }
      return try handOn(settlement)
    }
    if case .pulledAll(let count) = settlement.result, let step = settlement.work.work.step {
      try await pullAll(count, of: step)
    }
    guard let claim = try await find(settlement.work) else { throw FlowError.misfitOfJournal(journal.id) }
    open[settlement.work] = nil
    try settle(claim, settlement)
  }

  private mutating func restore(_ decision: JournalDecision) async throws {
    for claimed in decision.claimed where !claimed.isHanding { _ = try await find(claimed) }
    var effects = PendingEffects()
    engine.state.withLock { state in
      let decided: [RunEffect]
      if let error = decision.error {
        decided = state.machine.end(.failed(error))
        state.facts.decide(
          .failed(
            FlowReport.Failure(
              name: engine.source.description, path: nil, item: nil, attempt: 1, duration: .zero, error: error,
              isRefusal: false, step: nil)))
      } else {
        decided = state.machine.cancel()
        state.facts.decide(.cancelled(FlowReport.Cancellation(decision.cause)))
      }
      engine.recorder.write { state.note(decided, in: &effects, &$0, engine.blueprint, at: decision.date) }
    }
    engine.perform(effects)
    engine.blueprint.discardInstancesBesideAlways(engine.bucket)
  }

  /// Writes what an entry has, unless a later write has been applied already.
  mutating func apply(_ write: StoredWrite, of work: RunWork? = nil) throws {
    let bucket = engine.bucket
    guard numbers[write.name, default: -1] <= write.number else { return }
    numbers[write.name] = write.number
    switch write.value {
    case .removed: bucket.replace(nil, named: write.name)
    case .stored(let bytes): bucket.replace(bytes.value, named: write.name)
    case .sealed(let bytes):
      bucket.markSensitive(CollectionOfOne(write.name))
      guard let sealing = journal.sealing else {
        if let value = known(write.name, work) { return restore(secret: value, named: write.name) }
        throw FlowError.sealingIsMissing
      }
      restore(secret: try sealing.opened(bytes).value, named: write.name)
    case .isSensitive:
      bucket.markSensitive(CollectionOfOne(write.name))
      restore(secret: known(write.name, work) ?? WithheldValue(reason: .isSensitive), named: write.name)
    case .isNotStored:
      bucket.replace(known(write.name, work) ?? WithheldValue(reason: .isNotStored), named: write.name)
    }
  }

  /// Writes a sensitive value, which no error that is stored from now on may show.
  private func restore(secret value: any Sendable, named name: String) {
    journal.secrets.withLock { $0.insert(value: value) }
    engine.bucket.replace(value, named: name)
  }

  /// A value that isn't stored: the run was given it, or the flow that is a step brings it along.
  private func known(_ name: String, _ work: RunWork?) -> (any Sendable)? {
    if case .enter(let step)? = work, case .flow(_, let data, _) = engine.blueprint.steps[step].kind,
      let value = data[name]
    {
      return value
    }
    return work == nil ? given[name] : passed[name]
  }

  // MARK: Claiming

  /// Claims until a piece of work is there; `nil` if it never is.
  private mutating func find(_ wanted: JournalWork) async throws -> RunClaim? {
    while true {
      if let claim = open[wanted] { return claim }
      if let claim = claimNext() {
        open[JournalWork(claim.work)] = claim
        continue
      }
      if try await pull(for: wanted) { continue }
      if fireTimer(for: wanted.work) { continue }
      if settleWhatNeverBegan() { continue }
      return nil
    }
  }

  /// Claims a piece of work, and what comes before it; `nil` if something has to happen first.
  private mutating func claim(_ wanted: JournalWork) -> RunClaim? {
    if !open.isEmpty, let claim = open.removeValue(forKey: wanted) { return claim }
    while let claim = claimNext() {
      if claim.work == wanted.work { return claim }
      open[JournalWork(claim.work)] = claim
    }
    return nil
  }

  private func claimNext() -> RunClaim? {
    var effects = PendingEffects()
    let claim = engine.state.withLock { state -> RunClaim? in
      guard let offer = state.machine.claim() else { return nil }
      state.noteClaim(offer, hasTimes: engine.blueprint.hasTimedAttempts, at: now)
      effects.timers.append(offer.timers)
      effects.runTimers = state.timers
      return RunClaim(ticket: offer.ticket, work: offer.work, attempt: offer.attempt)
    }
    engine.perform(effects)
    return claim
  }

  /// Takes the next item of a sequence, which the entry of the item says has come.
  private mutating func pull(for wanted: JournalWork) async throws -> Bool {
    guard let step = wanted.work.step, let item = wanted.work.item else { return false }
    // The next attempt of an item that has come needs no other item.
    if let count = engine.withGroups({ $0.pulledCount(of: step) }), item < count { return false }
    return try await pullNext(of: step)
  }

  /// Takes the items of a sequence that had come before its end, also those that have no entries yet.
  private mutating func pullAll(_ count: Int, of step: Blueprint.StepID) async throws {
    while engine.withGroups({ $0.pulledCount(of: step) }) ?? count < count {
      if let claim = claimNext() {
        open[JournalWork(claim.work)] = claim
        continue
      }
      guard try await pullNext(of: step) else { throw FlowError.misfitOfJournal(journal.id) }
    }
  }

  private mutating func pullNext(of step: Blueprint.StepID) async throws -> Bool {
    guard let claim = open[JournalWork(.pull(step))],
      let stream = engine.withGroups({ $0.update(step) { $0.stream } ?? nil })
    else { return false }
    let item: (any Sendable)? =
      switch stream.next() {
      case .item(let item): item
      case .end: nil
      case .later(let wait): try await wait()
      }
    guard let item else { throw FlowError.shorterSequence(engine.blueprint.steps[step].name) }
    open[JournalWork(.pull(step))] = nil
    engine.settle(claim.ticket, .pulled(isItem: true), lane: .none) { state, _, _, _ in
      _ = state.groups.update(step) { $0.append(item) }
      return nil
    }
    return true
  }

  /// Lets the time pass that an entry says has passed.
  private func fireTimer(for work: RunWork) -> Bool {
    let attempted = work.attemptedWork
    guard let delay = delays[attempted] else { return false }
    let timer = engine.state.withLock { state -> TimerID? in
      guard let scope = state.machine.timers[delay]?.scope,
        let attempts = state.machine.tree.attempts(scope), attempts.work == attempted,
        attempts.stage == .delayed
      else { return nil }
      if case .expire = work { return attempts.totalTimer }
      return delay
    }
    guard let timer else { return false }
    var stopped = TimerChanges()
    stopped.append(.stop(timer))
    timers.take(stopped)
    engine.fire([timer])
    return true
  }

  /// Ends work that was claimed here before the run's end was decided, and had not been claimed at that time.
  private mutating func settleWhatNeverBegan() -> Bool {
    guard engine.isStopping else { return false }
    let claims = open.filter { engine.isStopping($0.value.ticket) }
    for (work, claim) in claims {
      open[work] = nil
      engine.settle(claim.ticket, .settled(.cancelled), lane: .none)
      noteRestored(work.work, at: nil)
    }
    return !claims.isEmpty
  }

  // MARK: Handing on

  private mutating func handOn(_ settlement: JournalSettlement) throws {
    for (step, ready) in engine.state.withLock({ $0.takeReadyResults() }) { held[step] = ready }
    guard let step = settlement.work.work.step, let ready = held.removeValue(forKey: step),
      ready.index == settlement.work.work.item
    else { throw FlowError.misfitOfJournal(journal.id) }
    engine.handingDidEnd(ready, settlement.settlement, of: step)
  }

  // MARK: Settling

  private mutating func settle(_ claim: RunClaim, _ settlement: JournalSettlement) throws {
    for write in settlement.writes { try apply(write, of: settlement.work.work) }
    var claim = claim
    claim.hasStarted = true
    if engine.blueprint.hasTimedAttempts { beginTimers(of: claim.ticket) }
    try RestoredWork(engine: engine, sealing: journal.sealing).settle(claim, settlement)
    noteRestored(claim.work, at: settlement.date == .distantPast ? nil : settlement.date)
    if case .failed(_, .some) = settlement.result {
      failedAt[claim.work] = settlement.date
      delays[claim.work] = timers.latest
    }
    if engine.blueprint.hasLimits, claim.work.isAttempt, let step = claim.work.step,
      let limits = engine.blueprint.steps[step].options.limits
    {
      starts.note(settlement, limits)
    }
  }
}

extension RunReplay {
  /// Notes that what became of work's step was before the resume, so that no report takes the time of restoring it for its.
  private func noteRestored(_ work: RunWork, at date: Date?) {
    guard let step = work.step else { return }
    engine.state.withLock { $0.facts.noteRestored(step, at: date) }
  }

  /// Starts the timers of an attempt that had to wait before it began, unless it has them.
  private func beginTimers(of ticket: WorkTicket) {
    var changes = TimerChanges()
    changes.append(engine.state.withLock { $0.machine.attemptBegins(ticket) })
    timers.take(changes)
  }
}

extension JournalSettlement {
  /// The result as an end.
  var settlement: Settlement {
    switch result {
    case .failed(let error, _): .failed(error)
    case .cancelled: .cancelled
    case .succeeded, .skipped, .chosen, .entered, .planned, .pulledAll: .succeeded
    }
  }

  /// What a failure means for the next attempt.
  var advice: RetryAdvice {
    if case .failed(_, let delay?) = result { .after(delay) } else { .stop }
  }
}

extension FlowError {
  static func misfitOfJournal(_ id: String) -> FlowError {
    FlowError(
      .unreadableJournal, "the journal of the run \(shown(id)) has results of work that the flow doesn't come to",
      remedy: "Resume it with the flow that began it, or start a new run under another id.")
  }

  static func shorterSequence(_ step: String) -> FlowError {
    FlowError(
      .changedFlow, "the sequence of \(step) has fewer items than it had when the run began",
      remedy: "Give a durable run sequences that have the same items each time they are iterated.", step: step)
  }

  static func otherItems(_ step: String, _ old: Int?, _ new: Int?) -> FlowError {
    let count = { (count: Int?) in count.map { "\($0)" } ?? "an unknown number of" }
    return FlowError(
      .changedFlow, "\(step) has \(count(new)) items, and had \(count(old)) when the run began",
      remedy: "Let the items come from the data bucket, or from steps of the run, so that they are restored with it.",
      step: step)
  }
}
