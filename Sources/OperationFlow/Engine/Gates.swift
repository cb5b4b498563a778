import Foundation

/// A check that can delay or end a claim before its work starts.
///
/// A run asks its gates in a fixed order, outside all locks, each time that a lane has a claim to perform. The first
/// gate that isn't open decides. A gate that parks a claim resumes it, and then all gates are asked again.
protocol Gate: Sendable {
  func answer(to claim: Claim, in engine: RunEngine) -> GateAnswer
}

enum GateAnswer {
  case open
  /// The claim is parked, and the gate resumes it.
  case closed
  /// The work ends in this way, without its own code.
  case ends(Settlement)
  /// The work ends as if it had started and its code had ended in this way.
  case replaces(Settlement)
}

extension RunEngine {
  /// Returns the gates of a run in order: for the journal, for permits, for a test, and for the journal's entry of a
  /// beginning.
  static func gates(_ blueprint: Blueprint, _ keeper: (any RunKeeper)?, _ probe: (any RunProbe)?) -> [any Gate] {
    var gates: [any Gate] = []
    if let keeper { gates.append(JournalGate(keeper: keeper)) }
    if blueprint.has(.limits) { gates.append(PermitGate()) }
    if let probe { gates.append(ProbeGate(probe: probe)) }
    if let keeper, blueprint.has(.undo) { gates.append(BeginGate(keeper: keeper)) }
    return gates
  }

  /// Asks the gates; returns false if one of them has parked the claim, or ended it.
  func mayPerform(_ claim: Claim) -> Bool {
    for gate in gates {
      switch gate.answer(to: claim, in: self) {
      case .open: continue
      case .closed: return false
      case .ends(let settlement): endUnbegun(claim, settlement)
      case .replaces(let settlement): replace(claim, by: settlement)
      }
      return false
    }
    return true
  }

  /// Ends claimed work as if it had started and its code had ended in this way.
  func replace(_ claim: Claim, by settlement: Settlement) {
    guard let step = claim.work.step else { return }
    let source = claim.source(blueprint.name(of: claim.work), of: step)
    let hasStarted = willStart(claim.ticket, source)
    end(claim, .settled(hasStarted ? settlement : .cancelled), source, lane: .none)
  }
}

/// Delays work until all earlier settlements are safe in the journal.
struct JournalGate: Gate {
  let keeper: any RunKeeper

  func answer(to claim: Claim, in engine: RunEngine) -> GateAnswer {
    // An operation that continues has passed this gate already.
    if claim.isUnderWay { return .open }
    if !claim.work.isBookkeeping, claim.isSynchronized || keeper.mayHoldBack {
      let answer = engine.state.withLock { state -> GateAnswer in
        if state.machine.isStopping(claim.ticket) { return .ends(.cancelled) }
        guard !claim.isSynchronized, keeper.holdsBack({ engine.resume(claim.ticket) }) else { return .open }
        claim.isSynchronized = true
        return state.park(claim, for: .journal) ? .closed : .open
      }
      guard case .open = answer else { return answer }
    }
    if let step = claim.work.step { keeper.willPerform(step: step, item: claim.work.item) }
    // The timers of an attempt start here, unless the attempt may still have to wait for permits.
    let isLimited = claim.work.isAttempt && engine.blueprint.isLimited(claim.work.step ?? 0)
    if engine.blueprint.has(.timed), keeper.holdsWorkBack, !isLimited { engine.beginTimers(of: claim.ticket) }
    return .open
  }
}

/// Delays limited work until it has all of its permits.
///
/// Permits are released under the run's lock when the claim ends; abandoned work retains them until it really ends. In
/// a pause, work that has not begun releases its permits, or those that it gets then, and acquires them when it is
/// offered again. The limiters' locks are acquired within the run's, and no lock within theirs.
struct PermitGate: Gate {
  func answer(to claim: Claim, in engine: RunEngine) -> GateAnswer {
    guard claim.work.isAttempt, let step = claim.work.step, engine.blueprint.isLimited(step) else { return .open }
    let limiters = engine.blueprint.steps[step].options?.limiters ?? []
    let new = ClaimPermits(engine, claim.ticket, limiters, precedence: engine.blueprint.precedence(of: step))
    let times = new.times
    var effects = PendingEffects()
    let mayBegin = engine.state.withLock { state in
      // Cancelled work needs no permit to end.
      guard state.claims[claim.ticket] != nil, !state.machine.isStopping(claim.ticket) else { return true }
      let permits = claim.permits.orNew(new)
      if let limiter = permits.acquire(at: times) {
        if limiter.hasClock { effects.limiters.append(limiter) }
        return !state.park(claim, for: .limit)
      }
      // The timers of an attempt start when it has all of its permits for the first time.
      if permits.prepare() { effects.decided = state.machine.attemptBegins(claim.ticket) }
      return true
    }
    engine.perform(effects)
    return mayBegin ? .open : .closed
  }
}

/// Lets a test end an attempt before it begins, or delay it.
struct ProbeGate: Gate {
  let probe: any RunProbe

  func answer(to claim: Claim, in engine: RunEngine) -> GateAnswer {
    guard claim.work.isAttempt, !claim.isUnderWay, !claim.wasIntercepted, let step = claim.work.step,
      let path = engine.paths.path(of: step)
    else { return .open }
    let work = ProbedWork(
      path: path, name: engine.blueprint.steps[step].name, item: claim.work.item, attempt: claim.attempt)
    switch probe.interception(of: work) {
    case nil: return .open
    case .fails(let error): return .replaces(Settlement(error))
    case .waits(let wait):
      claim.wasIntercepted = true
      guard engine.state.withLock({ $0.park(claim, for: nil) }) else { return .replaces(.cancelled) }
      engine.startTask(claim.ticket) {
        try await wait(engine.clock)
        return nil
      } done: { settlement, _ in
        if settlement.isSuccess { return engine.resume(claim.ticket) }
        if engine.unpark(claim) { engine.replace(claim, by: settlement) }
      }
      return .closed
    }
  }
}

/// Delays work that is undone even if its effect is uncertain, until the journal has its beginning.
struct BeginGate: Gate {
  let keeper: any RunKeeper

  func answer(to claim: Claim, in engine: RunEngine) -> GateAnswer {
    guard claim.work.isAttempt, !claim.isUnderWay, !claim.isNoted, let step = claim.work.step,
      engine.blueprint.steps[step].options?.undo?.isForUncertain == true
    else { return .open }
    engine.recordBegin(claim)
    return engine.state.withLock { state in
      if state.machine.isStopping(claim.ticket) { return .ends(.cancelled) }
      guard keeper.isWriting(thenCall: { engine.resume(claim.ticket) }) else { return .open }
      return state.park(claim, for: .journal) ? .closed : .open
    }
  }
}

// Claimed work that has to wait is parked: its claim remains, and its lane claims other work. The code that parked it
// resumes it, and then it is offered to lanes like new work. If it is cancelled, it is unparked under the lock and
// ended outside.
extension RunEngine {
  /// Lets parked work continue in a lane.
  func resume(_ ticket: WorkTicket) {
    let count = state.withLock { state in
      state.machine.resume(ticket)
      return state.lanesToAdd()
    }
    addLanes(count)
  }

  /// Lets parked work continue in this thread; while the run is paused, in a lane later.
  func resumeHere(_ ticket: WorkTicket) {
    let now = dates.now
    let claim = state.withLock { state -> Claim? in
      state.machine.resume(ticket)
      return state.machine.claim(ticket).flatMap { state.claims[$0.ticket] }.map { state.claimAgain($0, at: now) }
    }
    runLane(from: claim)
  }

  /// Ends the wait of parked work, so that the caller continues or ends it; returns false if the work doesn't wait any
  /// more.
  func unpark(_ claim: Claim) -> Bool { state.withLock { _ in claim.stopWaiting() } }

  /// Ends claimed work that has not begun.
  func endUnbegun(_ claim: Claim, _ settlement: Settlement) {
    // The run ends an operation by discarding it.
    guard let step = claim.work.step, !claim.isUnderWay else { return }
    let failed = state.withLock { $0.remains[claim.work.attemptedWork] }
    let source = claim.source(failed?.name ?? blueprint.name(of: claim.work), of: step)
    switch claim.work.kind {
    // A resume runs the undo.
    case .check, .plan, .undo: end(claim, .settled(settlement), source, .unbegun, lane: .none)
    // In a lane, because the end may deliver the next result.
    case .deliver: addLane { self.handingDidEnd(claim, settlement) }
    default: end(claim, .settled(settlement), source, lane: .none)
    }
  }
}

extension RunState {
  /// Parks claimed work, for a reason that users see if there is one; returns false if the work was asked to stop.
  mutating func park(_ claim: Claim, for reason: FlowRun.Waiting.Reason?) -> Bool {
    guard machine.park(claim.ticket) else { return false }
    claim.phase = .waiting(reason)
    return true
  }

  /// Updates a parked claim that a lane claims again.
  ///
  /// Work that is under way remains parked until its operation is started. The wait for a limiter isn't part of the
  /// work's time.
  mutating func claimAgain(_ claim: Claim, at moment: RunMoment) -> Claim {
    let reason = claim.reason
    if claim.isUnderWay || !claim.stopWaiting() || reason != .limit { return claim }
    claim.time = moment.time
    // A step with attempts was opened when it was claimed, so its time is moved.
    if claim.work.kind == .step, let step = claim.work.step { facts.reopen(step, at: moment.seconds) }
    return claim
  }
}
