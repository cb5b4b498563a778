import Foundation

extension RunEngine {
  /// Begins the run, or continues one that was restored, unless it has begun.
  package func begin(resuming restored: RestoredRun? = nil) {
    if !state.withLock({ exchange(&$0.hasBegun, with: true) }) { enter(resuming: restored) }
  }

  /// Begins a run that the current task awaits; if the task is cancelled already, the run only ends.
  package func beginForCaller() {
    if Task.isCancelled { cancel(by: .task) } else { begin() }
  }

  /// Records the start, and adds the first lane: on a thread, or as a task if the first step is asynchronous.
  private func enter(isCancelled: Bool = false, resuming restored: RestoredRun? = nil) {
    holdClock(true)
    defer { holdClock(false) }
    joinClock()
    recorder.record(.plain(.flowStarted(bucket.content.items)), source: .dataBucket)
    if let restored {
      restored.record()
      // In a lane, so that a driven clock waits until all of it is done.
      return addLane { self.resume(with: restored.rest()) }
    }
    if isCancelled || refusal?.isCancelled == true { recorder.record(.cancelRequested, source: source) }
    if let refusal, refusal.error?.flowError != nil {
      recorder.record(refusal.recorded(), source: source)
    }
    var effects = PendingEffects()
    var beginsInTask = false
    let began = dates.elapsed
    let end = state.withLock { state -> RunOffer? in
      state.beganAt = began
      effects.decided = state.machine.begin(deadline: limits.deadline)
      // A run without steps ends at its beginning, unless a keeper or a clock has to see its end in a lane.
      if refusal == nil, keeper == nil, driven == nil, !isCancelled, state.machine.isFinishing {
        return state.machine.claim()
      }
      effects.laneCount = state.lanesToAdd()
      beginsInTask = effects.laneCount == 1 && driven == nil && beginsAsynchronously
      if beginsInTask { effects.laneCount = 0 }
      return nil
    }
    if let end { finish(end.ticket) }
    if beginsInTask { TaskLane.start(self) }
    perform(effects)
    watchForQuiet()
  }

  package func cancel(by cause: FlowReport.Cancellation = .call) {
    holdClock(true)
    defer { holdClock(false) }
    var effects = PendingEffects()
    let now = dates.now
    // Set for a run that has not begun: true if this cancels it, false if it was refused.
    let beginning = state.withLock { state -> Bool? in
      guard !state.isReplaying else {
        state.cancelledBefore = cause
        return nil
      }
      guard state.hasBegun else {
        // The run may wait for a block on the main actor, which may be called late: it begins now, only to end.
        state.hasBegun = true
        let isCancelled = !state.machine.isStopping
        if isCancelled { state.facts.decide(.cancelled(cause)) }
        _ = state.machine.cancel()
        return isCancelled
      }
      guard !state.machine.isStopping else { return nil }
      let decided = state.machine.cancel()
      recordDecision(nil, cause, &state, at: now)
      state.facts.decide(.cancelled(cause))
      state.paused = nil
      recorder.append(.plain(.cancelRequested), source: source, at: now)
      apply(decided, in: &effects, &state, at: now)
      return nil
    }
    keeper?.flush()
    if let beginning { enter(isCancelled: beginning) } else { perform(effects) }
  }

  var isPaused: Bool {
    get { state.withLock { $0.machine.isPaused } }
    set {
      let now = dates.now
      let (count, limiters) = state.withLock { state -> (Int, [FlowLimiter]) in
        guard state.machine.isPaused != newValue, !state.machine.hasEnded else { return (0, []) }
        state.machine.isPaused = newValue
        state.paused = newValue ? self : nil
        recorder.append(.plain(newValue ? .paused : .resumed), source: source, at: now)
        return (state.lanesToAdd(), state.machine.holdsUserWork ? state.claims.releaseUnbegun() : [])
      }
      recorder.deliver()
      addLanes(count)
      FlowLimiter.serve(limiters)
    }
  }

  var progress: RunProgress {
    state.withLock { state in
      if let known = state.progress { return known }
      let new = RunProgress()
      _ = new.moved(state.machine)
      state.progress = new
      return new
    }
  }

  private var delayed: [FlowRun.Waiting] {
    let attempts = state.withLock { $0.machine.tree.delayedAttempts }
    if attempts.isEmpty { return [] }
    // The state machine has no dates, so the ends of the last attempts are read from the record.
    var ends = [RunWork: Date]()
    for event in recorder.log.recorded() where event.source.failure == .retried && event.step >= 0 {
      let step = Int(event.step)
      ends[RunWork(event.item == nil ? .step : .item, of: step, item: event.item)] = event.time
    }
    return attempts.map { work, number in
      let claim = Claim(SlabID(place: 0), work, attempt: number, at: ends[work] ?? recorder.lastTime)
      return FlowRun.Waiting(self, claim, .nothing, .nextAttempt, since: claim.time, for: nil)
    }
  }

  /// The steps and items that have begun and have not ended, the oldest first.
  package var waitingFor: [FlowRun.Waiting] {
    (waiting() + delayed).sorted { ($0.time, $0.item ?? -1) < ($1.time, $1.item ?? -1) }
  }

  /// Returns the steps and items that have begun and not ended, unsorted; with `tickets`, only these.
  func waiting(among tickets: Set<WorkTicket>? = nil) -> [FlowRun.Waiting] {
    let claims = state.withLock { state in
      state.machine.claims.all.compactMap { ticket, _ -> WaitingClaim? in
        guard let claim = state.claims[ticket], !claim.work.isBookkeeping, tickets?.contains(ticket) != false else {
          return nil
        }
        let reason: FlowRun.Waiting.Reason? =
          switch claim.work.kind {
          case .deliver: .result
          case .pull: .nextItem
          default: claim.reason
          }
        return WaitingClaim(
          claim: claim, cancellable: claim.cancellable, reason: reason, since: claim.time,
          isCancelled: claim.isCancelled, limiter: claim.permits?.awaited)
      }
    }
    return claims.map { waiting in
      FlowRun.Waiting(
        self, waiting.claim, waiting.cancellable, waiting.reason, since: waiting.since,
        isCancelled: waiting.isCancelled, for: waiting.limiter)
    }
  }

  /// A claim, with what was read of it under the lock.
  private struct WaitingClaim {
    let claim: Claim
    let cancellable: Cancellable
    let reason: FlowRun.Waiting.Reason?
    let since: Date
    let isCancelled: Bool
    let limiter: FlowLimiter?
  }
}
