// First attempts with a time: their scope is opened only if a timer's time is over, or if they fail.
extension RunStateMachine {
  // MARK: Starting and stopping timers

  /// Starts the timers of what was claimed from a block or a fan.
  ///
  /// The time of an attempt that has to wait, for permits or for a journal, begins when it does.
  mutating func startTimersOfFirst(_ offer: inout RunOffer) {
    guard offer.work.isAttempt, let step = offer.work.step, blueprint.isTimed(step), !mayHaveToWait(offer.work) else {
      return
    }
    let timers = startTimersOfFirst(offer.ticket, step)
    offer.start(timers.attempt, timers.all)
  }

  private mutating func startTimersOfFirst(
    _ ticket: WorkTicket, _ step: Blueprint.StepID
  ) -> (attempt: RunEffect?, all: RunEffect?) {
    var entry = FirstAttempts.Entry()
    var effects: (attempt: RunEffect?, all: RunEffect?)
    // The plan itself is large, and isn't copied for this.
    if let timeout = blueprint.steps[step].options.attempts?.timeout {
      let timer = timers.insert(.firstAttempt(ticket))
      entry.timer = timer
      effects.attempt = .start(timer, timeout)
    }
    if let timeout = blueprint.steps[step].options.attempts?.totalTimeout {
      let timer = timers.insert(.firstOfAll(ticket))
      entry.totalTimer = timer
      effects.all = .start(timer, timeout)
    }
    firstAttempts[ticket] = entry
    return effects
  }

  /// Starts the timers of a first attempt that had to wait and begins.
  mutating func timersOfFirst(_ ticket: WorkTicket, _ claimed: Claimed) -> [RunEffect] {
    guard claimed.work.isAttempt, let step = claimed.work.step, blueprint.isTimed(step) else { return [] }
    let kept = firstAttempts[ticket]
    guard kept.timer == nil, kept.totalTimer == nil else { return [] }
    let effects = startTimersOfFirst(ticket, step)
    return [effects.attempt, effects.all].compactMap(\.self)
  }

  /// Stops the timers of a first attempt that has settled.
  @inline(__always)
  mutating func stopTimersOfFirst(_ ticket: WorkTicket) -> [RunEffect] {
    guard blueprint.hasTimedAttempts else { return [] }
    var kept = firstAttempts.take(ticket)
    return stop(&kept.timer) + stop(&kept.totalTimer)
  }

  /// Stops the timers of a first attempt that has succeeded, and starts those of what the lane does next.
  mutating func exchangeTimers(_ ticket: WorkTicket, _ offer: inout RunOffer) {
    var kept = firstAttempts.take(ticket)
    offer.stop(stop(&kept.timer) + stop(&kept.totalTimer))
    startTimersOfFirst(&offer)
  }

  // MARK: Opening the scope

  /// Opens the scope of a first attempt that has timers; `nil` if it has none, or if it no longer counts.
  @discardableResult
  mutating func openFirstAttempt(_ ticket: WorkTicket) -> ScopeID? {
    guard let claimed = claims[ticket], let parent = claimed.scope, !claimed.isHanding,
      let attempts = firstAttempt(ticket, claimed.work), attempts.timer != nil || attempts.totalTimer != nil
    else { return nil }
    switch tree[parent]?.kind {
    case .block, .fan: break
    case .attempts, .draining, nil: return nil
    }
    _ = firstAttempts.take(ticket)
    let id = tree.addAttempts(attempts, in: parent, isOffered: false)
    claims.update(ticket) { $0.scope = id }
    if let timer = attempts.timer { timers.update(timer) { $0 = .attempt(id) } }
    if let timer = attempts.totalTimer { timers.update(timer) { $0 = .allAttempts(id) } }
    return id
  }

  /// The first attempt of claimed work as its scope would be, with the timers that it has.
  func firstAttempt(_ ticket: WorkTicket, _ work: RunWork) -> AttemptScope? {
    guard var attempts = firstAttempt(work) else { return nil }
    guard blueprint.hasTimedAttempts else { return attempts }
    let kept = firstAttempts[ticket]
    attempts.begin(ticket)
    (attempts.timer, attempts.totalTimer) = (kept.timer, kept.totalTimer)
    if kept.hasEnded { attempts.noteEnd() }
    return attempts
  }

  /// Notes that an attempt has ended; true if it is a first one that has not timed out, and so never will.
  @inline(__always)
  mutating func firstEndsInTime(_ ticket: WorkTicket) -> Bool {
    claims.contains(ticket) && firstAttempts.noteEnd(ticket)
  }

  // MARK: Timers

  mutating func fireFirstAttempt(_ ticket: WorkTicket) -> [RunEffect] {
    let hasEnded = firstAttempts[ticket].hasEnded
    if hasEnded {
      firstAttempts[ticket].timer = nil
      return []
    }
    return openFirstAttempt(ticket).map { fireAttempt($0) } ?? []
  }

  mutating func fireFirstOfAll(_ ticket: WorkTicket) -> [RunEffect] {
    openFirstAttempt(ticket).map { fireAllAttempts($0) } ?? []
  }
}
