import Foundation

/// The end of a piece of work, which each part of ending it changes in place.
///
/// It isn't copyable, because a plain structure that is only lent to a function would be copied as a whole.
struct WorkEnd: ~Copyable {
  /// The facts that only some ends have.
  indirect enum Detail: Sendable {
    case nothing
    /// The work has not begun, so its end is no event.
    case unbegun
    /// The step is skipped, with this event.
    case skipped(RecordedKind)
    /// The cases step enters the branch with this index, or none matches the values that the keys had.
    case branch(Int?, held: [RedactableTexts.Part])
    /// The journal of a restored run has this delay before the next attempt; `nil` if none follows.
    case restored(retriedAfter: Duration?)

    var isUnbegun: Bool { if case .unbegun = self { true } else { false } }
    var isRestored: Bool { if case .restored = self { true } else { false } }
  }

  let claim: Claim
  let source: FlowEvent.Source?
  var lane: LaneUse
  let detail: Detail
  var result: RunResult
  /// The time of this end and of the start of the lane's next work, because nothing happens in between.
  let moment: RunMoment

  // Before the lock.
  /// The text of a user's error.
  var errorText: String?
  var event: RecordedKind?
  /// The report of a recovery that has succeeded.
  var recovery: ReportedWork?
  /// The parts that a keeper has made of the results.
  var parts: (any KeptParts)?

  // Under the lock.
  /// The operation whose work ended; it is freed after the lock, and before the lane's next work.
  var ended = Cancellable.nothing
  var decision = RunStateMachine.Decision()
  /// True if the work was asked to stop before it ended.
  var wasStopped = false
  /// True if the run's end was decided before this end.
  var wasStopping = false
  /// True if a keeper has stored the parts.
  var isKept = false
  var effects = PendingEffects()
  /// Values that may use the run when they are freed.
  var freed: [any Sendable] = []

  var work: RunWork { claim.work }

  /// The time when the work was claimed, in seconds.
  var began: Double { claim.time.timeIntervalSinceReferenceDate }
}

// Every end of a piece of work is handled here, except that of the run itself: the end of an attempt, of an undo or a
// recovery, of a step with others in it, of a sequence's next item, and of work that was cancelled before it began.
extension RunEngine {
  /// Ends a piece of work, with all that follows; returns the next work if the lane continues and there is any.
  ///
  /// An end that doesn't count changes nothing: that of abandoned work, or of work that ended before. `output` is the
  /// output of a group's item, or the next item of a group.
  @discardableResult
  package func end(
    _ claim: Claim, _ result: RunResult, _ source: FlowEvent.Source? = nil, output: (any Sendable)? = nil, lane: LaneUse
  ) -> Claim? {
    end(claim, result, source, .nothing, output: output, lane: lane)
  }

  @discardableResult
  func end(
    _ claim: Claim, _ result: RunResult, _ source: FlowEvent.Source?, _ detail: WorkEnd.Detail,
    output: (any Sendable)? = nil, lane: LaneUse
  ) -> Claim? {
    holdClock(true)
    defer { holdClock(false) }
    var end = WorkEnd(
      claim: claim, source: source, lane: lane, detail: detail, result: result, moment: dates.now)
    guard prepare(&end, output) else { return nil }
    let next = state.withLock { state -> Claim? in
      guard decide(&end, &state) else { return nil }
      // The end is recorded at the moment at which it counts, so that the record agrees with the outcome.
      return recorder.write { record in
        self.record(output, &end, &state, &record)
        return claimNext(&end, &state, &record)
      }
    }
    carryOut(&end)
    return next
  }

  // MARK: 1. Before the lock: users' code (a keeper's encoding, a retry policy, an error's description)

  /// Prepares the end's result, event and parts; returns false if the end doesn't count any more.
  private func prepare(_ end: inout WorkEnd, _ output: (any Sendable)?) -> Bool {
    let claim = end.claim
    let work = claim.work
    let source = end.source
    var timeout: (any Error)?
    // This is done before the end counts, so that no timer has an effect on it any more.
    if blueprint.has(.timed) {
      guard state.withLock({ $0.endTiming(of: claim, &timeout) }) else {
        endLate(&end)
        return false
      }
    }
    guard var settlement = end.result.end, let source else {
      if case .skipped(let event) = end.detail { end.event = event }
      end.parts = keptWrites(work)
      return true
    }
    let isUnbegun = end.detail.isUnbegun
    if work.leavesResults, !isUnbegun {
      let writer =
        work.kind == .deliver ? FlowEvent.Source(blueprint.name(of: work), step: work.step, item: work.item) : source
      end.parts = keptResults(&settlement, output, of: writer, claim.ticket)
    } else {
      end.parts = keptWrites(work)
    }
    settlement = located(settlement.counted(timeout), source)
    if work.kind == .step, settlement.isSuccess, blueprint.has(.declaresKeys) { checkOutputs(source) }
    end.result = result(of: settlement, work, &end)
    // Without a keeper, the error's text of a retried attempt is made when its event is read: a full record drops most.
    let isRead = keeper != nil || end.result.retryDelay == nil
    end.errorText = isRead ? settlement.errorText() : nil
    if work.kind == .recover, settlement.isSuccess {
      (end.event, end.recovery) = recovery(claim, source)
    } else if !isUnbegun, work.leavesResults && work.kind != .deliver || !settlement.isSuccess {
      end.event = settlement.recorded(
        as: end.errorText, underLock: !isRead, work.kind == .undo ? .undoFinished : .finished)
    }
    return true
  }

  /// Returns the result for the state machine: a failure with a delay if another attempt may follow.
  private func result(of settlement: Settlement, _ work: RunWork, _ end: inout WorkEnd) -> RunResult {
    guard case .failed(let error) = settlement, let source = end.source else { return .settled(settlement) }
    var delay: Duration?
    if case .restored(let known) = end.detail {
      delay = known
    } else if let plan = attemptPlan(of: work) {
      delay = retryDelay(after: error, plan, source, isUndo: work.kind == .undo)
    }
    return delay.map { .failed(error, retriedAfter: $0) } ?? .settled(settlement)
  }

  /// Records the late end of work that was abandoned.
  private func endLate(_ end: inout WorkEnd) {
    if case .abandoned = end.lane { return }
    let ticket = end.claim.ticket
    let (wasAbandoned, limiters) = state.withLock { state in
      (state.machine.abandoned.contains(ticket), state.endAbandoned(ticket))
    }
    if wasAbandoned, let settlement = end.result.end, let source = end.source {
      recorder.record(settlement.recorded(.endedLate), source: source)
    }
    FlowLimiter.serve(limiters)
  }

  private func recovery(_ claim: Claim, _ source: FlowEvent.Source) -> (event: RecordedKind, work: ReportedWork) {
    let (error, failed) = state.withLock { state in
      let error = claim.failure ?? state.machine.failure(of: claim.ticket)
      return (error, state.remains[claim.work.attemptedWork])
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

  /// Lets the state machine decide; returns false if the end doesn't count.
  private func decide(_ end: inout WorkEnd, _ state: inout RunState) -> Bool {
    let claim = end.claim
    if case .task(let lane) = end.lane { end.lane = lane.endsTracking() ? .continues : .none }
    guard state.claims.remove(claim) else {
      end.effects.limiters = state.endAbandoned(claim.ticket)
      return false
    }
    end.ended = exchange(&claim.cancellable, with: .nothing)
    // A lane may retain its first claim until the lane ends, and must not retain the group with it.
    claim.group = nil
    var keeper: String?
    if case .abandoned = end.lane { keeper = end.source.map { "\($0) of \(flowName)" } }
    end.effects.limiters = state.end(claim, abandonedAs: keeper)
    end.wasStopped = state.machine.isStopping(claim.ticket)
    end.wasStopping = state.machine.isStopping
    // A cancel may have arrived after the last step of a flow ended, and before this.
    if claim.work.kind == .leave, end.wasStopped { end.result = .settled(.cancelled) }
    end.decision = state.machine.settle(
      claim.ticket, end.result, isRestored: end.detail.isRestored, hasBegun: claim.isBegun)
    return true
  }

  // MARK: 3. Under the locks: the record, and the values that the run stores

  private func record(
    _ output: (any Sendable)?, _ end: inout WorkEnd, _ state: inout RunState, _ record: inout Recorder.Record
  ) {
    let work = end.work
    let follow = end.decision.follow
    if let source = end.source, let event = event(of: work, &end) {
      record.append(event, source: source.failing(follow), at: end.moment)
    }
    if let recovery = end.recovery { state.facts.add(recovery) }
    if work != work.attemptedWork { state.remains[work.attemptedWork] = nil }
    switch work.kind {
    case .choose:
      if case .branch(let index, let held) = end.detail { recordBranch(index, held, of: work, &end, &state) }
    case .pull: if end.result.pulledItem != nil { state.addItem(output, of: work, &end) }
    case .deliver: if let step = work.step { state.groups[step]?.handing?.taken = nil }
    case .undo where follow == .own && !end.detail.isUnbegun:
      if let source = end.source {
        state.facts.add(reported(.undo, source, end.result.settlement.failure, end.errorText))
      }
      if let undone = state.remains.removeValue(forKey: work) { end.freed.append(undone) }
    case .step, .item, .recover, .expire:
      if let ticket = end.decision.handing { state.queueResult(of: work, output, end, ticket) }
      guard let source = end.source else { break }
      if follow == .own {
        state.store(work, output, source, &end, paths)
      } else {
        state.recordFailedAttempt(at: work, source, end.errorText, recovers: follow == .recovering, began: end.began)
      }
    default: break
    }
  }

  /// Returns the event of an end; `nil` if the end is no event.
  private func event(of work: RunWork, _ end: inout WorkEnd) -> RecordedKind? {
    switch (work.kind, end.result) {
    case (.leave, _): .plain(.finished(end.wasStopped ? .cancelled : .successfully))
    // If the step was cancelled meanwhile, it has begun and ends here: the state machine opens nothing for it.
    case (.enter, .entered): end.wasStopped ? .plain(.finished(.cancelled)) : nil
    case (.enter, _): nil
    // If the run stops meanwhile, a skipped step counts as not reached, and a delivery as interrupted by the stop.
    case (.check, .skipped), (.deliver, _): end.wasStopped ? nil : end.event.take()
    default: end.event.take()
    }
  }

  private func recordBranch(
    _ index: Int?, _ held: [RedactableTexts.Part], of work: RunWork, _ end: inout WorkEnd, _ state: inout RunState
  ) {
    guard let step = work.step else { return }
    if let index {
      state.facts.steps[step].branch = Int32(clamping: index)
    } else if !end.wasStopped {
      // A run that stops ends for that reason, not early.
      state.facts.endEarly((cases: step, held: held))
    }
  }

  // MARK: 4. Under the locks: the lane's next work

  private func claimNext(_ end: inout WorkEnd, _ state: inout RunState, _ record: inout Recorder.Record) -> Claim? {
    let work = end.work
    let now = end.moment
    let decided = end.decision.effects
    if end.decision.follow == .own { state.closeStep(of: work, &end) }
    var offer: RunOffer?
    if case .continues = end.lane { offer = state.machine.claim() }
    // The arrival of an item isn't stored, because the item's own settlement implies it.
    if let parts = end.parts, end.result.pulledItem != true {
      end.isKept = true
      keeper?.store(settlement(of: work, &end, &state), parts)
    }
    if state.machine.isStopping { state.recordDecision(by: work, &end) }
    if !decided.isEmpty { state.record(decided, in: &end.effects, &record, blueprint, at: now) }
    end.effects.follower = state.progress?.moved(state.machine, by: (end.claim.ticket, nil))
    end.effects.mayBeStuck = state.mayBeStuck
    let next = offer.map { claimed($0, &state, &end.effects, at: now) }
    end.effects.laneCount = state.lanesToAdd()
    end.effects.isWatched = record.isWatched
    return next
  }

  // MARK: 5. After the lock: effects, users' calls last

  private func carryOut(_ end: inout WorkEnd) {
    // If the end did not count, its writes wait for the next entry.
    if let parts = end.parts { if end.isKept { keeper?.flush() } else { keeper?.withdraw(parts) } }
    perform(end.effects)
  }
}
