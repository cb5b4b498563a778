import Foundation

extension RunEngine {
  /// Whether it has begun, if only to end.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// Begins, unless it has begun.
  package func begin() {
    if isFirstBeginning { enter() }
  }

  /// Notes that it begins; false if it has begun.
  var isFirstBeginning: Bool {
    state.withLock { state in
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
  }

  /// Records the start, and gives the first lane to the queue.
  private func enter(isCancelled: Bool = false) {
    joinClock()
    recorder.record(.flowStarted(bucket.listing()), source: .dataBucket)
    if isCancelled || refusal?.isCancelled == true { recorder.record(.cancelRequested, source: source) }
    if let refusal, case .failed(is FlowError) = refusal {
      recorder.record(refusal.recorded(FlowEvent.Kind.finished), source: source)
    }
    var effects = PendingEffects()
    let isAtEnd = state.withLock { state in
      state.beganAt = dates.elapsed
      effects.timers.append(state.machine.begin(deadline: limits.deadline))
      let count = state.lanesToAdd()
      if extras == nil, !isCancelled, state.machine.isFinishing { return true }
      effects.laneCount = count
      return false
    }
    // A run without steps ends where it begins: that needs no lane.
    if isAtEnd { return runLane() }
    perform(effects)
    watchForQuiet()
  }

  func cancel(by cause: FlowReport.Cancellation = .call) {
    holdClock(true)
    defer { holdClock(false) }
    var effects = PendingEffects()
    let beginning = state.withLock { state -> Beginning? in
      guard !state.isReplaying else {
        state.rareOrNew.cancelledBefore = cause
        return nil
      }
      guard state.hasBegun else {
        // It waits for a block on the main actor, which may take long to be called: it begins now, only to end.
        state.hasBegun = true
        let isCancelled = !state.machine.isStopping
        if isCancelled { state.facts.decide(.cancelled(cause)) }
        _ = state.machine.cancel()
        return Beginning(isCancelled: isCancelled)
      }
      guard !state.machine.isStopping else { return nil }
      let decided = state.machine.cancel()
      noteDecision(nil, cause, &state)
      state.facts.decide(.cancelled(cause))
      state.paused = nil
      recorder.write { record in
        let now = dates.now
        record.append(.cancelRequested, source: source, at: now)
        state.note(decided, in: &effects, &record, blueprint, at: now)
        effects.isWatched = record.isWatched
      }
      effects.laneCount = state.lanesToAdd()
      return nil
    }
    keeper?.flush()
    if refusal == nil, isStopping { blueprint.discardInstancesBesideAlways(bucket) }
    if let beginning { enter(isCancelled: beginning.isCancelled) } else { perform(effects) }
  }

  /// How a run that is cancelled before its beginning begins.
  private struct Beginning {
    /// False if it wasn't going to run anything anyway.
    let isCancelled: Bool
  }

  var isPaused: Bool {
    get { state.withLock { $0.machine.isPaused } }
    set {
      let (count, limiters) = state.withLock { state -> (Int, [FlowLimiter]) in
        guard state.machine.isPaused != newValue, !state.machine.hasEnded else { return (0, []) }
        state.machine.pause(newValue)
        state.paused = newValue ? self : nil
        recorder.append(newValue ? .paused : .resumed, source: source)
        return (state.lanesToAdd(), state.machine.holdsUserWork ? state.rare?.permits.giveBackUnbegun() ?? [] : [])
      }
      recorder.deliver()
      addLanes(count)
      FlowLimiter.serve(limiters)
    }
  }

  /// How far the run has come; made when it is first asked for, and the same from then on.
  var progress: RunProgress {
    if let known = state.withLock({ $0.progress }) { return known }
    let made = RunProgress(
      cancel: { [weak self] in self?.cancel(by: .progress) }, pause: { [weak self] in self?.isPaused = true },
      resume: { [weak self] in self?.isPaused = false })
    let kept = state.withLock { state in
      let kept = state.progress ?? made
      state.progress = kept
      return kept.moved(after: nil, state.machine)
    }
    kept.apply()
    return kept
  }

  /// What waits for its next attempt.
  private var delayed: [FlowRun.Waiting] {
    guard blueprint.hasAttemptPlans else { return [] }
    let attempts = state.withLock { $0.machine.delayedAttempts }
    if attempts.isEmpty { return [] }
    // The state machine knows no dates, so the ends of the last attempts come from the record.
    var ends: [RunWork: Date] = [:]
    for event in recorder.log.recorded where event.source.failure == .retried && event.step >= 0 {
      let step = Int(event.step)
      ends[event.item.map { .item(step, index: $0) } ?? .step(step)] = event.date
    }
    return attempts.map { attempt in
      FlowRun.Waiting(
        self, delayed: attempt.work, attempt: attempt.number, since: ends[attempt.work] ?? recorder.lastDate)
    }
  }

  /// What has begun and has not ended, the oldest first.
  var waitingFor: [FlowRun.Waiting] {
    (waiting() + delayed).ordered { ($0.since, $0.place) < ($1.since, $1.place) }
  }

  /// What has begun and has not ended, or only that under some tickets, in no particular order.
  func waiting(among tickets: Set<WorkTicket>? = nil) -> [FlowRun.Waiting] {
    let claims = state.withLock { state in
      state.machine.claimedWork.compactMap { claim in
        claim.work.isBookkeeping || tickets?.contains(claim.ticket) == false
          ? nil
          : (
            claim.work, state.claims[claim.ticket], state.running[claim.ticket], state.machine.isHanding(claim.ticket),
            state.rare?.parked[claim.ticket]?.parker, state.rare?.permits.awaited(by: claim.ticket)
          )
      }
    }
    return claims.map { FlowRun.Waiting(self, $0, $1, $2, isHanding: $3, parkedBy: $4, for: $5) }
  }
}
