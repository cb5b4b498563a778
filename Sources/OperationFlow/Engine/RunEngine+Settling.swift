import Foundation

extension RunEngine {
  /// Records that an operation, a closure, an undo or a recovery has ended, and continues, whatever follows from it.
  ///
  /// `known` is the delay before the next attempt, or that there is none, unless that is still to be asked.
  @inline(never) @discardableResult
  package func settleEnd(
    of ticket: WorkTicket, _ source: FlowEvent.Source, _ settlement: Settlement, output: (any Sendable)? = nil,
    lane: LaneUse, retriedAfter known: Duration?? = nil
  ) -> Claim? {
    var settlement = settlement
    let parts = keeper?.encode(&settlement, output, of: source, ticket, in: self) ?? nil
    let mayFollow = blueprint.has(.undo) || blueprint.has(.attempts)
    let (work, timeout, isLate) =
      mayFollow ? state.withLock { $0.noteEnd(of: ticket) } : (RunWork?.none, FlowError?.none, false)
    let isUndo = work?.kind == .undo
    let isRecovery = work?.kind == .recover
    let mayGoOn = !settlement.isSuccess || blueprint.has(.timed) && blueprint.has(any: .timeout, at: Int(source.step))
    let hasAttempts = isUndo || blueprint.has(.attempts) && !isRecovery && mayGoOn
    let options = hasAttempts ? blueprint.steps[Int(source.step)].options : nil
    let ownPlan = isUndo ? options?.undo?.attempts : options?.attempts
    // Work without a plan is followed by another attempt only if its process ended in it.
    let plan = ownPlan ?? (known?.map { _ in AttemptPlan() } ?? nil)
    if plan != nil {
      if isLate {
        if lane == .abandoned { return nil }
        if let parts { keeper?.takeBack(parts) }
        recorder.record(settlement.recorded(.endedLate), source: source)
        FlowLimiter.serve(state.withLock { $0.rare?.endAbandoned(ticket) ?? [] })
        return nil
      }
      settlement = settlement.counted(timeout)
    }
    settlement = located(settlement, source)
    if blueprint.has(.declaresKeys), !isUndo, !isRecovery, settlement.isSuccess { checkOutputs(source) }
    var result = RunResult.settled(settlement)
    if let plan, case .failed(let error) = settlement,
      let delay = known ?? retryDelay(after: error, plan, source, isUndo: isUndo)
    {
      result = .failed(error, retriedAfter: delay)
    }
    // An error describes itself with code of its own, which must not run under the lock.
    let recovered = isRecovery && settlement.isSuccess ? recovery(ticket, source) : nil
    // The error of an attempt that is tried again is described if someone reads the event: a bounded record drops most.
    let isRead = keeper != nil || result.retryDelay == nil
    let errorText = isRead ? settlement.errorText() : nil
    let finish =
      recovered?.event ?? settlement.recorded(as: errorText, underLock: !isRead, isUndo ? .undoFinished : .finished)
    // A value that is freed may use the run, so it isn't freed under the lock.
    var freed: (any Sendable)?
    defer { withExtendedLifetime(freed) {} }
    return settle(ticket, result, source, lane: lane, parts: parts, errorText: errorText) {
      [self, settlement] state, work, record, end in
      // Recorded at the same moment at which it counts, so that the record agrees with the outcome.
      let follow = end.decision.follow
      record.append(finish, source: source.failing(follow), at: end.moment)
      if let recovered { state.facts.note(recovered.work) }
      if work != work.attemptedWork { state.rare?.remains[work.attemptedWork] = nil }
      if follow != .own {
        if !isUndo { state.noteAttempt(at: work, source, errorText, recovers: follow == .recovering, began: end.began) }
      } else if isUndo {
        state.facts.note(reported(.undo, source, settlement.failure, errorText))
        freed = state.rare?.remains.removeValue(forKey: work)
      } else if work.item != nil || blueprint.has(.undo) {
        freed = state.keepItem(work, settlement, output, source, end, paths, errorText)
      }
    }
  }

  @inline(never)
  private func recovery(_ ticket: WorkTicket, _ source: FlowEvent.Source) -> (event: RecordedKind, work: ReportedWork) {
    let (error, failed) = state.withLock { state in
      let attempted = state.machine.work(of: ticket)?.attemptedWork
      let error = state.claims[ticket]?.failure ?? state.machine.failure(of: ticket)
      return (error, attempted.flatMap { state.rare?.remains[$0] })
    }
    let failure = Settlement.failed(error ?? FlowError.cancellation)
    let text = failed?.errorText ?? failure.errorText()
    let event = failure.recorded(as: text, .recovered)
    return (event, reported(.recovery, source, failure.error, text))
  }

  private func reported(
    _ kind: ReportedWork.Kind, _ source: FlowEvent.Source, _ error: (any Error)?, _ text: String?
  ) -> ReportedWork {
    ReportedWork(
      kind, source.description, paths.path(of: Int(source.step)), item: source.item, attempt: source.attempt, error,
      text: text)
  }

  /// Tells the state machine the result of a piece of work, and carries out what it decides.
  ///
  /// A lane gets its next work in the same go. If the result doesn't count, nothing happens. The text is that of an
  /// error of the user's, which must not be asked for it under the locks. The closure records the end and keeps what is
  /// needed of the work, under the locks, and once the state machine has decided what follows.
  /// It is the only part that differs, so it is inlined with little around it, and takes no memory.
  @inline(__always) @discardableResult
  func settle(
    _ ticket: WorkTicket, _ result: RunResult, _ source: FlowEvent.Source? = nil, lane: LaneUse,
    parts: (any KeptParts)? = nil, errorText: String? = nil,
    keeping: (inout RunState, RunWork, inout Recorder.Record, inout WorkEnd) -> Void
  ) -> Claim? {
    var end = beginSettling(ticket, result, source, lane, parts, errorText)
    let next = state.withLock { state -> Claim? in
      guard let work = begin(&end, &state) else { return nil }
      decide(work, &end, &state)
      return recorder.write { record in
        keeping(&state, work, &record, &end)
        return take(work, &end, &state, &record)
      }
    }
    carryOut(&end)
    return next
  }

  /// The same for work of which nothing is kept.
  @inline(never) @discardableResult
  package func settle(
    _ ticket: WorkTicket, _ result: RunResult, _ source: FlowEvent.Source? = nil, lane: LaneUse
  ) -> Claim? {
    settle(ticket, result, source, lane: lane) { _, _, _, _ in }
  }

  struct WorkEnd: ~Copyable {
    let ticket: WorkTicket
    /// Removed under the lock, and freed after it.
    var claim: Claim?
    var result: RunResult
    /// The decision of the state machine.
    var decision = RunStateMachine.Decision()
    /// True if the work was asked to stop before it ended.
    var wasStopped = false
    /// True if the run's end was decided before.
    var wasStopping = false
    let source: FlowEvent.Source?
    let lane: LaneUse
    let errorText: String?
    let parts: (any KeptParts)?
    /// One time for the end of this work and the start of the next, because there is nothing between them.
    let moment: RunMoment
    var isKept = false
    var effects = PendingEffects()

    /// The time when the work was claimed, in seconds.
    var began: Double { (claim?.time ?? moment.time).timeIntervalSinceReferenceDate }
  }

  @inline(never)
  private func beginSettling(
    _ ticket: WorkTicket, _ result: RunResult, _ source: FlowEvent.Source?, _ lane: LaneUse,
    _ parts: (any KeptParts)?, _ errorText: String?
  ) -> WorkEnd {
    holdClock(true)
    return WorkEnd(
      ticket: ticket, result: result, source: source, lane: lane, errorText: errorText,
      parts: keeper == nil ? nil : parts ?? keptWrites(ticket), moment: dates.now)
  }

  /// The work that settles, under the lock; `nil` if its end doesn't count.
  @inline(never)
  private func begin(_ end: inout WorkEnd, _ state: inout RunState) -> RunWork? {
    let ticket = end.ticket
    guard let work = state.machine.work(of: ticket) else {
      if let limiters = state.rare?.endAbandoned(ticket), !limiters.isEmpty { end.effects.rare.limiters = limiters }
      return nil
    }
    guard let claim = state.claims.remove(ticket) else { return work }
    end.claim = claim
    let keeper = end.lane == .abandoned ? end.source.map { "\($0) of \(flowName)" } : nil
    let limiters = state.end(claim, abandonedAs: keeper)
    if !limiters.isEmpty { end.effects.rare.limiters = limiters }
    return work
  }

  /// Lets the state machine decide, under the lock, what follows.
  @inline(never)
  private func decide(_ work: RunWork, _ end: inout WorkEnd, _ state: inout RunState) {
    (end.wasStopped, end.wasStopping) = (state.machine.isStopping(end.ticket), state.machine.isStopping)
    // A cancel may have come after the last step of a flow had ended, and before this.
    if work.kind == .leave, end.wasStopped { end.result = .settled(.cancelled) }
    end.decision = state.machine.settle(end.ticket, end.result)
  }

  /// Keeps the consequences of an end under the locks; returns the lane's next work.
  @inline(never)
  private func take(
    _ work: RunWork, _ end: inout WorkEnd, _ state: inout RunState, _ record: inout Recorder.Record
  ) -> Claim? {
    let (ticket, now, decided) = (end.ticket, end.moment, end.decision.effects)
    if end.decision.follow == .own { state.noteEnd(of: work, end) }
    let offer = end.lane == .goesOn ? state.machine.claim() : nil
    // The next item's own settlement says that it has come.
    if let parts = end.parts, end.result.pulledItem != true {
      end.isKept = true
      keeper?.take(settlement(of: work, end, &state), parts)
    }
    if state.machine.isStopping { state.noteDecision(by: work, end) }
    if !decided.isEmpty { state.note(decided, in: &end.effects, &record, blueprint, at: now) }
    if let follower = state.progress?.moved(state.machine, by: (ticket, nil)) { end.effects.rare.follower = follower }
    if state.mayBeStuck { end.effects.rare.mayBeStuck = true }
    let next = offer.map { claimed($0, &state, &end.effects, at: now) }
    end.effects.laneCount = state.lanesToAdd()
    end.effects.isWatched = record.isWatched
    return next
  }

  @inline(never)
  private func carryOut(_ end: inout WorkEnd) {
    // If it did not count, what it wrote waits for the next entry.
    if let parts = end.parts { if end.isKept { keeper?.flush() } else { keeper?.takeBack(parts) } }
    perform(end.effects)
    holdClock(false)
  }
}
