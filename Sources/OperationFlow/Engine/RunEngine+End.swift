import Foundation

/// The end of a piece of work on its way through the parts in which it counts.
struct WorkEnd: ~Copyable {
  /// The facts about an end that not every end has.
  enum Detail: Sendable {
    case nothing
    /// The work has not begun, so its end is no event.
    case unbegun
    /// The step is skipped, which is this event.
    case skipped(RecordedKind)
    /// The cases take a branch, by its place among those of the step, or none of them matches what the keys held.
    case branch(Int?, held: [RedactableTexts.Part])
    /// A group's next item; `nil` if there are no more.
    case item((any Sendable)?)
    /// The journal of a restored run has the delay before the next attempt; `nil` if none follows.
    case restored(retriedAfter: Duration?)
  }

  let ticket: WorkTicket
  let source: FlowEvent.Source?
  let lane: LaneUse
  let detail: Detail
  /// The output of a group's item.
  let output: (any Sendable)?
  var result: RunResult
  /// One time for the end of this work and the start of the next, because there is nothing between them.
  let moment: RunMoment

  // Before the lock.
  /// The text of an error of the user's.
  var errorText: String?
  var event: RecordedKind?
  /// What a recovery that has succeeded is reported as.
  var recovery: ReportedWork?
  /// The parts that a keeper has made of the results.
  var parts: (any KeptParts)?

  // Under the lock.
  var claim: Claim?
  /// The operation that the work was, which is freed after the lock, and before the lane's next work.
  var ended = Cancellable.nothing
  var decision = RunStateMachine.Decision()
  /// True if the work was asked to stop before it ended.
  var wasStopped = false
  /// True if the run's end was decided before.
  var wasStopping = false
  /// True if a keeper has taken the parts.
  var isKept = false
  var effects = PendingEffects()
  /// A value that may use the run when it is freed.
  var freed: (any Sendable)?

  /// The time when the work was claimed, in seconds.
  var began: Double { (claim?.time ?? moment.time).timeIntervalSinceReferenceDate }
}

// Every end of a piece of work takes this way: the end of an attempt, of an undo or a recovery, of a step with others in it, of
// a sequence's next item, and of work that was cancelled before it began.
extension RunEngine {
  /// Ends a piece of work, with all that follows; returns the next work of its lane, if there is any and the lane goes on.
  ///
  /// An end that doesn't count changes nothing: that of abandoned work, or of work that has ended before.
  @discardableResult
  package func end(
    _ ticket: WorkTicket, _ result: RunResult, _ source: FlowEvent.Source? = nil, output: (any Sendable)? = nil,
    lane: LaneUse
  ) -> Claim? {
    end(ticket, result, source, .nothing, output: output, lane: lane)
  }

  @discardableResult
  func end(
    _ ticket: WorkTicket, _ result: RunResult, _ source: FlowEvent.Source?, _ detail: WorkEnd.Detail,
    output: (any Sendable)? = nil, lane: LaneUse
  ) -> Claim? {
    holdClock(true)
    defer { holdClock(false) }
    var end = WorkEnd(
      ticket: ticket, source: source, lane: lane, detail: detail, output: output, result: result, moment: dates.now)
    guard prepare(&end) else { return nil }
    let next = state.withLock { state -> Claim? in
      guard let work = decide(&end, &state) else { return nil }
      // Recorded at the same moment at which it counts, so that the record agrees with the outcome.
      return recorder.write { record in
        self.record(work, &end, &state, &record)
        return claimNext(after: work, &end, &state, &record)
      }
    }
    carryOut(&end)
    return next
  }

  // MARK: 1. Before the lock: users' code, which a keeper's encoding, a retry policy and an error's description are

  /// Finds out what the end is; false if it doesn't count any more.
  private func prepare(_ end: inout WorkEnd) -> Bool {
    let ticket = end.ticket
    let source = end.source
    let found = state.withLock { $0.noteEnd(of: ticket) }
    guard let work = found.work else {
      endLate(end, wasAbandoned: found.wasAbandoned)
      return false
    }
    guard var settlement = end.result.end, let source else {
      if case .skipped(let event) = end.detail { end.event = event }
      end.parts = keptWrites(work)
      return true
    }
    let isUnbegun = if case .unbegun = end.detail { true } else { false }
    if work.leavesResults, !isUnbegun {
      let writer =
        work.kind == .handOn ? FlowEvent.Source(blueprint.name(of: work), step: work.step, item: work.item) : source
      end.parts = keeper?.encode(&settlement, end.output, of: writer, ticket, in: self) ?? nil
    } else {
      end.parts = keptWrites(work)
    }
    settlement = located(settlement.counted(found.timeout), source)
    if work.kind == .step, settlement.isSuccess, blueprint.has(.declaresKeys) { checkOutputs(source) }
    end.result = result(of: settlement, work, end)
    // The error of an attempt that is tried again is described if someone reads the event: a bounded record drops most.
    let isRead = keeper != nil || end.result.retryDelay == nil
    end.errorText = isRead ? settlement.errorText() : nil
    if work.kind == .recover, settlement.isSuccess {
      (end.event, end.recovery) = recovery(ticket, source)
    } else if !isUnbegun, work.leavesResults && work.kind != .handOn || !settlement.isSuccess {
      end.event = settlement.recorded(
        as: end.errorText, underLock: !isRead, work.kind == .undo ? .undoFinished : .finished)
    }
    return true
  }

  /// The end as the state machine learns of it: after a failure, with the delay before another attempt if one may follow.
  private func result(of settlement: Settlement, _ work: RunWork, _ end: borrowing WorkEnd) -> RunResult {
    guard case .failed(let error) = settlement, let source = end.source else { return .settled(settlement) }
    var delay: Duration?
    if case .restored(let known) = end.detail {
      delay = known
    } else if let plan = attemptPlan(of: work) {
      delay = retryDelay(after: error, plan, source, isUndo: work.kind == .undo)
    }
    return delay.map { .failed(error, retriedAfter: $0) } ?? .settled(settlement)
  }

  /// Notes that work has ended whose end doesn't count any more.
  private func endLate(_ end: borrowing WorkEnd, wasAbandoned: Bool) {
    if end.lane == .abandoned { return }
    if wasAbandoned, let settlement = end.result.end, let source = end.source {
      recorder.record(settlement.recorded(.endedLate), source: source)
    }
    let ticket = end.ticket
    FlowLimiter.serve(state.withLock { $0.rare?.endAbandoned(ticket) ?? [] })
  }

  private func recovery(_ ticket: WorkTicket, _ source: FlowEvent.Source) -> (event: RecordedKind, work: ReportedWork) {
    let (error, failed) = state.withLock { state in
      let attempted = state.machine.work(of: ticket)?.attemptedWork
      let error = state.claims[ticket]?.failure ?? state.machine.failure(of: ticket)
      return (error, attempted.flatMap { state.rare?.remains[$0] })
    }
    let failure = Settlement.failed(error ?? FlowError.cancellation)
    let text = failed?.errorText ?? failure.errorText()
    return (failure.recorded(as: text, .recovered), reported(.recovery, source, failure.error, text))
  }

  private func reported(
    _ kind: ReportedWork.Kind, _ source: FlowEvent.Source, _ error: (any Error)?, _ text: String?
  ) -> ReportedWork {
    ReportedWork(
      kind, source.description, paths.path(of: Int(source.step)), item: source.item, attempt: source.attempt, error,
      text: text)
  }

  // MARK: 2. Under the lock: the state machine decides what follows

  /// Lets the state machine decide; returns the work, or `nil` if its end doesn't count.
  private func decide(_ end: inout WorkEnd, _ state: inout RunState) -> RunWork? {
    guard let claim = state.claims.remove(end.ticket), let work = state.machine.work(of: end.ticket) else {
      let limiters = state.rare?.endAbandoned(end.ticket) ?? []
      if !limiters.isEmpty { end.effects.rare.limiters = limiters }
      return nil
    }
    end.claim = claim
    end.ended = exchange(&claim.cancellable, with: .nothing)
    let keeper = end.lane == .abandoned ? end.source.map { "\($0) of \(flowName)" } : nil
    let limiters = state.end(claim, abandonedAs: keeper)
    if !limiters.isEmpty { end.effects.rare.limiters = limiters }
    end.wasStopped = state.machine.isStopping(end.ticket)
    end.wasStopping = state.machine.isStopping
    // A cancel may have come after the last step of a flow had ended, and before this.
    if work.kind == .leave, end.wasStopped { end.result = .settled(.cancelled) }
    end.decision = state.machine.settle(end.ticket, end.result)
    return work
  }

  // MARK: 3. Under the locks: the record, and what the run needs of the work

  private func record(
    _ work: RunWork, _ end: inout WorkEnd, _ state: inout RunState, _ record: inout Recorder.Record
  ) {
    let follow = end.decision.follow
    if let source = end.source, let event = event(of: work, end) {
      record.append(event, source: source.failing(follow), at: end.moment)
    }
    if let recovery = end.recovery { state.facts.note(recovery) }
    if work != work.attemptedWork { state.rare?.remains[work.attemptedWork] = nil }
    switch (work.kind, end.detail) {
    case (.choose, .branch(let index, let held)): noteBranch(index, held, of: work, end, &state)
    case (.pull, .item(let item)): state.noteItem(item, of: work, end)
    case (.handOn, _): if let step = work.step { state.groups[step]?.handing?.taken = nil }
    case (.undo, .unbegun): break
    case (.undo, _) where follow == .own:
      if let source = end.source {
        state.facts.note(reported(.undo, source, end.result.settlement.failure, end.errorText))
      }
      end.freed = state.rare?.remains.removeValue(forKey: work)
    case (.step, _), (.item, _), (.recover, _), (.expire, _):
      guard let source = end.source else { break }
      if follow == .own {
        end.freed = state.keepItem(work, source, end, paths)
      } else {
        state.noteAttempt(at: work, source, end.errorText, recovers: follow == .recovering, began: end.began)
      }
    default: break
    }
  }

  /// The event of an end; `nil` if it is none.
  private func event(of work: RunWork, _ end: borrowing WorkEnd) -> RecordedKind? {
    switch (work.kind, end.result) {
    case (.leave, _): .plain(.finished(end.wasStopped ? .cancelled : .successfully))
    // If it was cancelled meanwhile, it has begun, and the state machine doesn't learn of it.
    case (.enter, .entered): end.wasStopped ? .plain(.finished(.cancelled)) : nil
    case (.enter, _): nil
    // If the run stops meanwhile, the step never ran, and a result was not handed on for that reason.
    case (.check, .skipped), (.handOn, _): end.wasStopped ? nil : end.event
    default: end.event
    }
  }

  private func noteBranch(
    _ index: Int?, _ held: [RedactableTexts.Part], of work: RunWork, _ end: borrowing WorkEnd, _ state: inout RunState
  ) {
    guard let step = work.step else { return }
    if let index {
      state.facts.steps[step].branch = Int32(clamping: index)
    } else if !end.wasStopped {
      // A run that stops goes no further anyway.
      state.facts.endEarly((cases: step, held: held))
    }
  }

  // MARK: 4. Under the locks: the lane's next work

  private func claimNext(
    after work: RunWork, _ end: inout WorkEnd, _ state: inout RunState, _ record: inout Recorder.Record
  ) -> Claim? {
    let now = end.moment
    let decided = end.decision.effects
    if end.decision.follow == .own { state.noteEnd(of: work, end) }
    let offer = end.lane == .goesOn ? state.machine.claim() : nil
    // The next item's own settlement says that it has come.
    if let parts = end.parts, end.result.pulledItem != true {
      end.isKept = true
      keeper?.take(settlement(of: work, end, &state), parts)
    }
    if state.machine.isStopping { state.noteDecision(by: work, end) }
    if !decided.isEmpty { state.note(decided, in: &end.effects, &record, blueprint, at: now) }
    let follower = state.progress?.moved(state.machine, by: (end.ticket, nil))
    if let follower { end.effects.rare.follower = follower }
    if state.mayBeStuck { end.effects.rare.mayBeStuck = true }
    let next = offer.map { claimed($0, &state, &end.effects, at: now) }
    end.effects.laneCount = state.lanesToAdd()
    end.effects.isWatched = record.isWatched
    return next
  }

  // MARK: 5. After the lock: effects, users' calls last

  private func carryOut(_ end: inout WorkEnd) {
    // If it did not count, what it wrote waits for the next entry.
    if let parts = end.parts { if end.isKept { keeper?.flush() } else { keeper?.takeBack(parts) } }
    perform(end.effects)
  }
}
