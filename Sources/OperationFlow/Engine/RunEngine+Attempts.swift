// Attempts: retries, timers, and work that is abandoned.
extension RunEngine {
  /// Returns the delay before the next attempt, `nil` for none; it calls users' code, so the caller must hold no lock.
  func retryDelay(after error: any Error, _ plan: AttemptPlan, _ source: FlowEvent.Source, isUndo: Bool) -> Duration? {
    guard source.attempt < plan.count else { return nil }
    if let own = error.flowError, !own.isRetryable { return nil }
    let step = Int(source.step)
    if !isUndo, let isWorthRetrying = blueprint.steps[step].options?.isWorthRetrying, !isWorthRetrying(error) {
      return nil
    }
    if let asked = (error as? any FlowRetryDelaying)?.retryDelay { return asked.clamped() }
    let policy = isUndo ? blueprint.steps[step].options?.undo?.retry : blueprint.steps[step].options?.retry
    return policy?.delay(before: source.attempt + 1, chance: chance(source))
  }

  /// Returns the plan of the attempts at a step, an item or an undo; `nil` for any other work.
  func attemptPlan(of work: RunWork) -> AttemptPlan? {
    guard let step = work.step else { return nil }
    if work.kind == .undo { return blueprint.steps[step].options?.undo?.attempts }
    return work.isAttempt && blueprint.has(.attempts) ? blueprint.steps[step].options?.attempts : nil
  }

  /// Returns a random number from 0 to 1 that depends only on the seed, the step, the item and the attempt.
  private func chance(_ source: FlowEvent.Source) -> Double {
    var generator = SplitMix(seed: seed)
    for part in [Int(source.step), source.item ?? -1, source.attempt] { generator.mix(UInt64(bitPattern: Int64(part))) }
    return Double(generator.next() >> 11) * 0x1p-53
  }

  /// Starts the timers of work that may have had to wait, unless they have started before.
  package func beginTimers(of ticket: WorkTicket) {
    perform(PendingEffects(decided: state.withLock { $0.machine.attemptBegins(ticket) }))
  }

  /// Starts and stops timers, unless the run has ended since: new ones would retain it forever.
  func changeTimers(_ changes: [RunEffect]) {
    if changes.isEmpty { return }
    let (hasEnded, known) = state.withLock { ($0.machine.hasEnded, $0.timers) }
    if let known { return known.apply(changes) }
    if hasEnded { return }
    // Made outside the lock, because timers ask the clock for the time.
    let new = clock.makeTimers { self.fire($0) }
    let timers = state.withLock { $0.machine.hasEnded ? nil : $0.timers.orNew(new) }
    timers?.apply(changes)
  }

  /// Fires the timers that are due; all are decided before users' code is called, so no slow `cancel()` delays a timer.
  package func fire(_ due: [TimerID]) {
    var effects = PendingEffects()
    let now = dates.now
    let elapsed = dates.elapsed
    state.withLock { state in
      for timer in due {
        let wasStopping = state.machine.isStopping
        let decided = state.machine.fire(timer)
        if !wasStopping, state.machine.isStopping {
          recordDecision(state.machine.ending?.failure, .call, &state, at: now)
        }
        // The cause of an end that is decided here is the deadline.
        if !state.facts.isDecided, let error = state.machine.ending?.error?.flowError {
          let time = state.beganAt.map { elapsed - $0 } ?? .zero
          let located = error.located(flow: flowName, step: nil)
          state.facts.decide(.failed(ReportedWork(ofFlow: flowName, located, after: time)))
        }
        apply(decided, in: &effects, &state, at: now)
      }
    }
    keeper?.flush()
    perform(effects)
  }

  /// Continues without work that timed out: it settles as failed, and its own end will change nothing.
  func abandon(_ ticket: WorkTicket) {
    let found = state.withLock { state in
      state.claims[ticket].map { ($0, $0.cancellable, state.machine.failure(of: ticket)) }
    }
    guard let (claim, cancellable, error) = found else { return }
    let source = source(of: claim, cancellable)
    recorder.record(.warned("timed out and was abandoned"), source: source)
    end(claim, .settled(error.map { .failed($0) } ?? .cancelled), source, lane: .abandoned)
  }
}

extension FlowError {
  /// True if another attempt may turn out differently.
  package var isRetryable: Bool {
    let lasting: Set<Code> = [
      .missingData, .mismatchedData, .operationUsedTwice, .notImplemented, .hiddenPorts, .valueNotStorable,
      .unmeetableDependency,
    ]
    return !lasting.contains(code)
  }
}
