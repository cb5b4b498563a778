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
    offer.timers = (offer.timers ?? []) + startTimersOfFirst(offer.ticket, step)
  }

  private mutating func startTimersOfFirst(_ ticket: WorkTicket, _ step: Blueprint.StepID) -> [RunEffect] {
    var first = FirstTimers()
    var effects: [RunEffect] = []
    // The plan itself is large, and isn't copied for this.
    first.timer = start(.firstAttempt(ticket), after: blueprint.steps[step].options.attempts?.timeout, &effects)
    first.totalTimer = start(.firstOfAll(ticket), after: blueprint.steps[step].options.attempts?.totalTimeout, &effects)
    claims.update(ticket) { $0.first = first }
    return effects
  }

  /// Starts the timers of a first attempt that had to wait and begins.
  mutating func timersOfFirst(_ ticket: WorkTicket, _ claimed: Claimed) -> [RunEffect] {
    guard claimed.work.isAttempt, let step = claimed.work.step, blueprint.isTimed(step) else { return [] }
    return claimed.first.areThere ? [] : startTimersOfFirst(ticket, step)
  }

  /// Stops the timers of a first attempt that has settled.
  @inline(__always)
  mutating func stop(_ first: inout FirstTimers) -> [RunEffect] {
    blueprint.hasTimedAttempts ? stop(&first.timer) + stop(&first.totalTimer) : []
  }

  /// Stops the timers of a first attempt that has succeeded, and starts those of what the lane does next.
  mutating func exchangeTimers(_ first: FirstTimers, _ offer: inout RunOffer) {
    var first = first
    let stopped = stop(&first)
    if !stopped.isEmpty { offer.timers = stopped }
    startTimersOfFirst(&offer)
  }

  // MARK: Opening the scope

  /// Opens the scope of a first attempt that has timers; `nil` if it has none, or if it no longer counts.
  @discardableResult
  mutating func openFirstAttempt(_ ticket: WorkTicket) -> ScopeID? {
    guard let claimed = claims[ticket], let parent = claimed.scope, !claimed.isHanding,
      claimed.first.areThere, let attempts = firstAttempt(ticket, claimed)
    else { return nil }
    switch tree[parent]?.kind {
    case .block, .fan: break
    case .attempts, nil: return nil
    }
    let id = tree.addAttempts(attempts, in: parent, isOffered: false)
    claims.update(ticket) { ($0.scope, $0.first) = (id, FirstTimers()) }
    if let timer = attempts.timer { timers.update(timer) { $0 = .attempt(id) } }
    if let timer = attempts.totalTimer { timers.update(timer) { $0 = .allAttempts(id) } }
    return id
  }

  /// The first attempt of claimed work as its scope would be, with the timers that it has.
  func firstAttempt(_ ticket: WorkTicket, _ claimed: Claimed) -> AttemptScope? {
    guard var attempts = firstAttempt(claimed.work) else { return nil }
    guard blueprint.hasTimedAttempts else { return attempts }
    attempts.begin(ticket)
    (attempts.timer, attempts.totalTimer) = (claimed.first.timer, claimed.first.totalTimer)
    if claimed.first.hasEnded { attempts.noteEnd() }
    return attempts
  }

  /// Notes that an attempt has ended; true if it is a first one that has not timed out, and so never will.
  @inline(__always)
  mutating func firstEndsInTime(_ ticket: WorkTicket) -> Bool {
    claims.update(ticket) { claimed in
      claimed.first.hasEnded = claimed.first.areThere
      return claimed.first.hasEnded
    } ?? false
  }

  // MARK: Timers

  mutating func fireFirstAttempt(_ ticket: WorkTicket) -> [RunEffect] {
    if claims[ticket]?.first.hasEnded == true {
      claims.update(ticket) { $0.first.timer = nil }
      return []
    }
    return openFirstAttempt(ticket).map { fireAttempt($0) } ?? []
  }

  mutating func fireFirstOfAll(_ ticket: WorkTicket) -> [RunEffect] {
    openFirstAttempt(ticket).map { fireAllAttempts($0) } ?? []
  }
}
