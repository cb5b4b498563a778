import Foundation

/// Restores a run from what another process has kept: a fresh state machine claims the same work and is given the same
/// results.
///
/// It is done by one task, before the run has lanes. What was at work when the earlier process ended is claimed at the
/// end and not settled, so it is performed again.
package struct RunRestoration {
  let engine: RunEngine
  private let timers = RestoredTimers()
  /// When the work is claimed: a time for each piece would cost more than the claim.
  private let now: Date
  /// The limits of the retries, which restored attempts must not meet.
  private var budget = RetryBudget(.unlimited)
  /// What is claimed and not settled.
  private var open: [KeptWork: RunClaim] = [:]
  /// When attempts failed that another one follows.
  private var failedAt: [RunWork: Date] = [:]
  /// The timers of the delays before the next attempts.
  private var delays: [RunWork: TimerID] = [:]
  private var starts = EarlierStarts()
  /// Results that were being handed on.
  private(set) var held: [Blueprint.StepID: DeliveryQueue.Held] = [:]

  /// The traces of work besides its result.
  package struct Left {
    /// The name that its events have, if it isn't the one that the flow tells.
    package var name: String?
    package var output: (any Sendable)?
    package var hidesOutput = false
    /// Writes to the bucket what the work wrote; called once the work is claimed.
    package var write: () throws -> Void = {}

    package init() {}
  }

  package init(_ engine: RunEngine) {
    self.engine = engine
    now = engine.dates.now
  }

  /// Begins to restore it; ``end()`` or ``interrupt()`` follows, and then the run goes on when the engine begins.
  package mutating func begin() {
    engine.recorder.mute(true)
    let (budget, beginning) = engine.state.withLock { state in
      state.isReplaying = true
      state.timers = timers
      state.beganAt = engine.dates.elapsed
      let budget = state.machine.budget
      state.machine.budget = RetryBudget(.unlimited)
      return (budget, state.machine.begin(deadline: engine.limits.deadline))
    }
    self.budget = budget
    var changes = TimerChanges()
    changes.append(beginning)
    timers.take(changes)
  }

  /// Ends it after an error.
  package func interrupt() { engine.recorder.mute(false) }

  /// Ends it when everything is restored.
  package func end() {
    engine.state.withLock { state in
      let counted = state.machine.budget
      state.machine.budget = budget
      state.machine.budget.attemptCount = counted.attemptCount
      state.machine.budget.retryCount = counted.retryCount
    }
    starts.tellLimiters(now: engine.dates.now)
    engine.recorder.mute(false)
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

  // MARK: Restoring

  /// Restores work that has succeeded if it is claimed next, or after work that is as well; false if more is needed.
  package mutating func restoreAtOnce(_ kept: KeptSettlement, _ left: @autoclosure () throws -> Left) throws -> Bool {
    guard case .succeeded = kept.result, !kept.work.isHanding, kept.claimed == nil, let claim = claim(kept.work) else {
      return false
    }
    try settle(claim, kept, try left())
    return true
  }

  /// Restores a settlement.
  package mutating func restore(_ kept: KeptSettlement, _ left: @autoclosure () throws -> Left) async throws {
    for claimed in kept.claimed ?? [] where !claimed.isHanding { _ = try await find(claimed) }
    if kept.work.isHanding {
      try left().write()
      return try handOn(kept)
    }
    if case .pulledAll(let count) = kept.result, let step = kept.work.work.step {
      try await pullAll(count, of: step)
    }
    guard let claim = try await find(kept.work) else { throw unexpectedResult }
    open[kept.work] = nil
    try settle(claim, kept, try left())
  }

  /// Restores a decision that no work has made.
  package mutating func restore(_ decision: KeptDecision) async throws {
    for claimed in decision.claimed where !claimed.isHanding { _ = try await find(claimed) }
    var effects = PendingEffects()
    engine.state.withLock { state in
      let decided: [RunEffect]
      if let error = decision.error {
        decided = state.machine.end(.failed(error))
        state.facts.decide(.failed(FlowReport.Failure(ofFlow: engine.flowName, error)))
      } else {
        decided = state.machine.cancel()
        state.facts.decide(.cancelled(decision.cause))
      }
      engine.recorder.write { state.note(decided, in: &effects, &$0, engine.blueprint, at: decision.date) }
    }
    engine.perform(effects)
    engine.blueprint.discardInstancesBesideAlways(engine.bucket)
  }

  // MARK: Claiming

  /// Claims until a piece of work is there; `nil` if it never is.
  private mutating func find(_ wanted: KeptWork) async throws -> RunClaim? {
    while true {
      if let claim = open[wanted] { return claim }
      if let claim = claimNext() {
        open[KeptWork(claim.work)] = claim
        continue
      }
      if try await pull(for: wanted) { continue }
      if fireTimer(for: wanted.work) { continue }
      if settleWhatNeverBegan() { continue }
      return nil
    }
  }

  /// Claims a piece of work, and what comes before it; `nil` if something has to happen first.
  private mutating func claim(_ wanted: KeptWork) -> RunClaim? {
    if !open.isEmpty, let claim = open.removeValue(forKey: wanted) { return claim }
    while let claim = claimNext() {
      if claim.work == wanted.work { return claim }
      open[KeptWork(claim.work)] = claim
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
  private mutating func pull(for wanted: KeptWork) async throws -> Bool {
    guard let step = wanted.work.step, let item = wanted.work.item else { return false }
    // The next attempt of an item that has come needs no other item.
    if let count = engine.withGroups({ $0.pulledCount(of: step) }), item < count { return false }
    return try await pullNext(of: step)
  }

  /// Takes the items of a sequence that had come before its end, also those that have no entries yet.
  private mutating func pullAll(_ count: Int, of step: Blueprint.StepID) async throws {
    while engine.withGroups({ $0.pulledCount(of: step) }) ?? count < count {
      if let claim = claimNext() {
        open[KeptWork(claim.work)] = claim
        continue
      }
      guard try await pullNext(of: step) else { throw unexpectedResult }
    }
  }

  private mutating func pullNext(of step: Blueprint.StepID) async throws -> Bool {
    guard let claim = open[KeptWork(.pull(step))],
      let stream = engine.withGroups({ $0.update(step) { $0.stream } ?? nil })
    else { return false }
    let item: (any Sendable)? =
      switch stream.next() {
      case .item(let item): item
      case .end: nil
      case .later(let wait): try await wait()
      }
    guard let item else { throw FlowError.shorterSequence(engine.blueprint.steps[step].name) }
    open[KeptWork(.pull(step))] = nil
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

  private var unexpectedResult: FlowError {
    let id = "\"" + ValueText.name(engine.keeper?.id ?? "") + "\""
    return FlowError(
      .unreadableJournal, "the journal of the run \(id) has results of work that the flow doesn't come to",
      remedy: "Resume it with the flow that began it, or start a new run under another id.")
  }

  // MARK: Settling

  private mutating func handOn(_ kept: KeptSettlement) throws {
    for (step, ready) in engine.state.withLock({ $0.takeReadyResults() }) { held[step] = ready }
    guard let step = kept.work.work.step, let ready = held.removeValue(forKey: step),
      ready.index == kept.work.work.item
    else { throw unexpectedResult }
    engine.handingDidEnd(ready, kept.settlement, of: step)
  }

  private mutating func settle(_ claim: RunClaim, _ kept: KeptSettlement, _ left: Left) throws {
    try left.write()
    var claim = claim
    claim.hasStarted = true
    if engine.blueprint.hasTimedAttempts { beginTimers(of: claim.ticket) }
    try RestoredWork(engine: engine, left: left).settle(claim, kept)
    noteRestored(claim.work, at: kept.date == .distantPast ? nil : kept.date)
    if case .failed(_, .some) = kept.result {
      failedAt[claim.work] = kept.date
      delays[claim.work] = timers.latest
    }
    if engine.blueprint.hasLimits, claim.work.isAttempt, let step = claim.work.step,
      let limits = engine.blueprint.steps[step].options.limits
    {
      starts.note(kept, limits)
    }
  }

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

extension RunEngine {
  /// A value that a flow within the flow brings along when it is entered.
  package func value(named name: String, broughtBy work: RunWork) -> (any Sendable)? {
    guard case .enter(let step) = work, case .flow(_, let data, _) = blueprint.steps[step].kind else { return nil }
    return data[name]
  }
}

extension KeptSettlement {
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
  fileprivate static func shorterSequence(_ step: String) -> FlowError {
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

  package static let unreadableEntry = FlowError(
    .unreadableJournal, "an entry of the run's journal can't be understood",
    remedy: "Resume the run with the version of the library that wrote it, or remove its journal from the store.")
}
