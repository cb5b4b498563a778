import Foundation

/// A piece of work that settles, and what follows from it.
///
/// What each settling has in common is in functions that aren't inlined: the compiler makes a copy of `settle` for each
/// closure that is passed to it.
struct Settling: ~Copyable {
  fileprivate let ticket: WorkTicket
  fileprivate let source: FlowEvent.Source?
  fileprivate let lane: LaneUse
  fileprivate let parts: (any KeptParts)?
  fileprivate let errorText: String?
  /// One time for the end of this work and the start of the next, because there is nothing between them.
  let now: Date
  fileprivate var effects = PendingEffects()
  /// Whether a keeper has it.
  fileprivate var isKept = false
  fileprivate var next: RunClaim?
}

extension RunEngine {
  /// Records that an operation, a closure, an undo or a recovery has ended, and continues, whatever follows from it.
  ///
  /// `known` is what a failure means for the next attempt, unless that is still to be asked; `recovery` is what is told
  /// of a recovery if it has succeeded.
  @inline(never) @discardableResult
  func settleEnd(
    of ticket: WorkTicket, _ source: FlowEvent.Source, _ settlement: Settlement, output: (any Sendable)? = nil,
    lane: LaneUse, advice known: RetryAdvice? = nil, recovery: (event: RecordedKind, work: ReportedWork)? = nil
  ) -> RunClaim? {
    var settlement = settlement
    let parts = keeper?.encode(&settlement, output, of: source, ticket, in: self) ?? nil
    let isUndo = blueprint.hasUndos && state.withLock { $0.machine.isUndo(ticket) }
    let mayGoOn = !settlement.isSuccess || blueprint.isTimed(Int(source.step))
    let hasAttempts = isUndo || blueprint.hasAttemptPlans && recovery == nil && mayGoOn
    let plan = hasAttempts ? attemptPlan(Int(source.step), isUndo: isUndo) : nil
    if plan != nil {
      let (timeout, isLate) = state.withLock { state in
        let isLate = state.machine.abandoned.contains(ticket) && state.machine.work(of: ticket) == nil
        return (state.machine.noteEnd(of: ticket), isLate)
      }
      if isLate {
        if lane != .abandoned { endLate(ticket, source, settlement, parts) }
        return nil
      }
      settlement = settlement.counted(timeout)
    }
    settlement = located(settlement, source)
    if blueprint.declaresKeys, !isUndo, recovery == nil, settlement.isSuccess { checkOutputs(source) }
    var (result, advice) = (RunResult.settled(settlement), RetryAdvice.byPlan)
    if let plan, case .failed(let error) = settlement {
      advice = known ?? self.advice(after: error, plan, source, isUndo: isUndo)
      result = .failed(error, advice)
    }
    // An error describes itself with code of its own, which must not run under the lock.
    let recovered = settlement.isSuccess ? recovery : nil
    let errorText = settlement.errorText()
    let kind = isUndo ? FlowEvent.Kind.undoFinished : FlowEvent.Kind.finished
    let finish = recovered?.event ?? settlement.recorded(as: errorText, kind)
    // A value that is freed may use the run, so it isn't freed under the lock.
    var freed: (any Sendable)?
    defer { withExtendedLifetime(freed) {} }
    return settle(ticket, result, source, lane: lane, parts: parts, errorText: errorText) {
      [settlement, advice] state, work, record, now in
      // Recorded at the same moment at which it counts, so that the record agrees with the outcome.
      let follow = plan == nil || settlement.isSuccess ? .own : state.machine.verdict(ticket, settlement, advice)
      record.append(finish, source: source.failing(follow), at: now)
      if let recovered { state.facts.note(recovered.work) }
      if follow != .own {
        if !isUndo { state.noteAttempt(at: work, source, ticket, errorText, recovers: follow == .recovering) }
      } else if isUndo {
        freed = state.noteUndo(work, source, settlement, errorText, paths)
      } else {
        freed = state.keepItem(work, settlement, output, source, ticket, paths, errorText)
      }
      return nil
    }
  }

  /// Tells that work has ended that was abandoned before.
  private func endLate(
    _ ticket: WorkTicket, _ source: FlowEvent.Source, _ settlement: Settlement, _ parts: (any KeptParts)?
  ) {
    if let parts { keeper?.takeBack(parts) }
    recorder.record(settlement.recorded(FlowEvent.Kind.endedLate), source: source)
    FlowLimiter.serve(state.withLock { $0.rare?.endAbandoned(ticket) ?? [] })
  }

  @inline(never)
  func settling(
    _ ticket: WorkTicket, _ source: FlowEvent.Source?, _ lane: LaneUse, _ parts: (any KeptParts)?, _ errorText: String?
  ) -> Settling {
    holdClock(true)
    return Settling(
      ticket: ticket, source: source, lane: lane, parts: keeper == nil ? nil : parts ?? keptWrites(ticket),
      errorText: errorText, now: dates.now)
  }

  /// The work that settles, under the lock; `nil` if its end doesn't count.
  @inline(never)
  func begin(_ settling: inout Settling, _ state: inout RunState) -> RunWork? {
    let ticket = settling.ticket
    guard let work = state.machine.work(of: ticket) else {
      let limiters = state.rare?.endAbandoned(ticket) ?? []
      if !limiters.isEmpty { settling.effects.rare.limiters = limiters }
      return nil
    }
    settling.effects.freed = state.running.remove(ticket)
    if let rare = state.rare {
      let keeper = settling.lane == .abandoned ? settling.source.map { "\($0) of \(flowName)" } : nil
      let limiters = rare.settle(ticket, abandonedAs: keeper)
      if !limiters.isEmpty { settling.effects.rare.limiters = limiters }
    }
    return work
  }

  /// Tells the state machine under the locks, and decides what follows.
  @inline(never)
  func conclude(
    _ settling: inout Settling, _ work: RunWork, _ result: RunResult, _ state: inout RunState,
    _ record: inout Recorder.Record
  ) {
    let (ticket, now) = (settling.ticket, settling.now)
    state.noteEnd(of: work, result, ticket, at: now)
    // A closure would copy the whole state.
    var entry: RunSettlement?
    if settling.parts != nil {
      entry = pendingSettlement(of: work, result, settling.errorText, ticket, &state, at: now)
    }
    let (decided, offer) =
      settling.lane == .goesOn
      ? state.machine.settleAndClaim(ticket, result) : (state.machine.settle(ticket, result), nil)
    if let entry, let parts = settling.parts {
      take(entry, parts, decided, &state)
      settling.isKept = true
    }
    if state.machine.isStopping {
      state.noteDecision(by: work, settling.source, ticket, settling.errorText, at: now)
      state.noteClosingFailure(by: work, settling.source, settling.errorText)
    }
    if !decided.isEmpty { state.note(decided, in: &settling.effects, &record, blueprint, at: now) }
    if let follower = state.progress?.moved(state.machine, by: (ticket, nil)) {
      settling.effects.rare.follower = follower
    }
    if let offer { settling.next = claimed(offer, &state, &record, &settling.effects, at: now) }
    settling.effects.laneCount = state.lanesToAdd()
    settling.effects.isWatched = record.isWatched
  }

  /// Carries out what follows, outside the locks; returns the lane's next work.
  @inline(never)
  func carryOut(_ settling: borrowing Settling) -> RunClaim? {
    // If it did not count, what it wrote waits for the next entry.
    if let parts = settling.parts { if settling.isKept { keeper?.flush() } else { keeper?.takeBack(parts) } }
    perform(settling.effects)
    holdClock(false)
    return settling.next
  }
}
