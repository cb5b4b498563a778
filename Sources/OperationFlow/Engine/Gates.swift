import Foundation

/// A thing that can hold a claim back before its work starts.
///
/// A run asks its gates in a fixed order, outside all locks, each time that a lane has a claim to perform. The first gate that
/// isn't open decides. A gate that parks a claim resumes it, and then all gates are asked again.
protocol Gate: Sendable {
  func answer(to claim: Claim, in engine: RunEngine) -> GateAnswer
}

enum GateAnswer {
  case open
  /// The claim is parked, and the gate resumes it.
  case closed
  /// The work ends without its own code, in this way.
  case ends(Settlement)
  /// The work ends as if it had started and its code had ended in this way.
  case replaces(Settlement)
}

extension RunEngine {
  /// The gates that a run has: the journal's, those of its limiters, a test's, and that of a beginning.
  static func gates(_ blueprint: Blueprint, _ keeper: (any RunKeeper)?, _ probe: (any RunProbe)?) -> [any Gate] {
    var gates: [any Gate] = []
    if let keeper { gates.append(JournalGate(keeper: keeper)) }
    if blueprint.has(.limits) { gates.append(PermitGate()) }
    if let probe { gates.append(ProbeGate(probe: probe)) }
    if let keeper, blueprint.has(.undo) { gates.append(BeginGate(keeper: keeper)) }
    return gates
  }

  /// Asks the gates; false if one of them has parked the claim, or ended it.
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

/// Holds work back until what has settled before is safe in the journal.
struct JournalGate: Gate {
  let keeper: any RunKeeper

  func answer(to claim: Claim, in engine: RunEngine) -> GateAnswer {
    // An operation that goes on has been let through already.
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
    // The time of an attempt begins here, unless that may have to wait for permits still.
    let isLimited = claim.work.isAttempt && engine.blueprint.isLimited(claim.work.step ?? 0)
    if engine.blueprint.has(.timed), keeper.holdsWorkBack, !isLimited { engine.beginTimers(of: claim.ticket) }
    return .open
  }
}

/// Holds limited work back until it has all of its permits.
///
/// Permits are given back under the run's lock when the claim ends; abandoned work keeps them until it has really ended. In a
/// pause, work that has its permits and has not begun, or whose turn comes, gives them back, and asks again when it is offered
/// again. The limiters' locks are taken within the run's, and nothing within theirs.
struct PermitGate: Gate {
  func answer(to claim: Claim, in engine: RunEngine) -> GateAnswer {
    guard claim.work.isAttempt, let step = claim.work.step, engine.blueprint.isLimited(step) else { return .open }
    let limiters = engine.blueprint.steps[step].options?.limiters ?? []
    let new = ClaimPermits(engine, claim.ticket, limiters, precedence: engine.blueprint.precedence(of: step))
    let times = new.times
    var effects = PendingEffects()
    let mayBegin = engine.state.withLock { state in
      // What is cancelled needs no permit to end.
      guard state.claims[claim.ticket] != nil, !state.machine.isStopping(claim.ticket) else { return true }
      let permits = claim.permits.orNew(new)
      if let limiter = permits.acquire(at: times) {
        if limiter.hasClock { effects.limiters.append(limiter) }
        return !state.park(claim, for: .limit)
      }
      // The time of an attempt begins when it has all of its permits for the first time.
      if permits.prepare() { effects.decided = state.machine.attemptBegins(claim.ticket) }
      return true
    }
    engine.perform(effects)
    return mayBegin ? .open : .closed
  }
}

/// Lets a test end an attempt before it begins, or hold it back.
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

/// Holds work back that is undone also if its effect is uncertain, until the journal has that it begins.
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

// Claimed work that waits for anything is parked: its claim stays, and its lane goes. Whoever has parked it resumes it, and
// then it is offered to lanes like new work. If it is cancelled, it is taken out under the lock and ended outside.
extension RunEngine {
  /// Lets parked work go on in a lane.
  func resume(_ ticket: WorkTicket) {
    let count = state.withLock { state in
      state.machine.resume(ticket)
      return state.lanesToAdd()
    }
    addLanes(count)
  }

  /// Lets parked work go on in this thread; while the run is paused, in a lane later.
  func resumeHere(_ ticket: WorkTicket) {
    let now = dates.now
    let claim = state.withLock { state -> Claim? in
      state.machine.resume(ticket)
      return state.machine.claim(ticket).flatMap { state.claims[$0.ticket] }.map { state.claimAgain($0, at: now) }
    }
    runLane(from: claim)
  }

  /// Takes parked work out, to go on with it or to end it; false if it was cancelled.
  func unpark(_ claim: Claim) -> Bool { state.withLock { _ in claim.stopWaiting() } }

  /// Ends claimed work that has not begun.
  func endUnbegun(_ claim: Claim, _ settlement: Settlement) {
    // An operation is discarded, which ends it.
    guard let step = claim.work.step, !claim.isUnderWay else { return }
    let failed = state.withLock { $0.remains[claim.work.attemptedWork] }
    let source = claim.source(failed?.name ?? blueprint.name(of: claim.work), of: step)
    switch claim.work.kind {
    // An undo is left to the resume.
    case .check, .plan, .undo: end(claim, .settled(settlement), source, .unbegun, lane: .none)
    // In a lane, because its end may hand on the next one.
    case .handOn: addLane { self.handingDidEnd(claim, settlement) }
    default: end(claim, .settled(settlement), source, lane: .none)
    }
  }
}

extension RunState {
  /// Parks claimed work, for a reason that users are told if there is one; false if it was asked to stop.
  mutating func park(_ claim: Claim, for reason: FlowRun.Waiting.Reason?) -> Bool {
    guard machine.park(claim.ticket) else { return false }
    claim.phase = .waiting(reason)
    return true
  }

  /// Notes that a lane claims work again that was parked.
  ///
  /// What is under way is parked until it is started. The time that work has waited for a limiter isn't its own.
  mutating func claimAgain(_ claim: Claim, at moment: RunMoment) -> Claim {
    let reason = claim.reason
    if claim.isUnderWay || !claim.stopWaiting() || reason != .limit { return claim }
    claim.time = moment.time
    // A step with attempts was opened when it was claimed.
    if claim.work.kind == .step, let step = claim.work.step { facts.reopen(step, at: moment.seconds) }
    return claim
  }
}
