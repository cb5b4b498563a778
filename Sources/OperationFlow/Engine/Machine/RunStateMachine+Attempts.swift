/// What a timer of the state machine is for.
enum TimerUse: Sendable {
  /// An attempt, or the delay before one.
  case attempt(ScopeID)
  /// All attempts of a step or an item together.
  case allAttempts(ScopeID)
  /// Work that has timed out, and is not waited for any longer after that.
  case abandoning(WorkTicket)
  /// The whole run.
  case deadline(Duration)
}

// Attempts: what follows a failure, and what their timers do.
extension RunStateMachine {
  // MARK: Claiming

  /// Hands out the next attempt, or what follows the last one.
  mutating func claimAttempt(of id: ScopeID) -> RunOffer? {
    guard var attempts = tree.attempts(id) else { return nil }
    var offer = hand(attempts.offeredWork, to: id)
    offer.attempt = attempts.number
    attempts.stage = .running(offer.ticket)
    tree.keep(attempts, of: id)
    startTimers(of: &offer)
    return offer
  }

  /// Opens the attempts of claimed work that has a time.
  ///
  /// Others are opened only when the first attempt has failed.
  mutating func openTimed(_ offer: inout RunOffer, in parent: ScopeID) {
    guard offer.work.step.map(blueprint.isTimed) == true, let attempts = firstAttempt(offer.work, offer.ticket) else {
      return
    }
    let id = tree.addAttempts(attempts, in: parent)
    claims.update(offer.ticket) { $0.scope = id }
    startTimers(of: &offer)
  }

  /// The attempts at some work whose first one has been claimed; `nil` if they have no plan.
  private func firstAttempt(_ work: RunWork, _ ticket: WorkTicket) -> AttemptScope? {
    guard blueprint.hasAttemptPlans, work.isAttempt, let step = work.step,
      let plan = blueprint.steps[step].options.attempts
    else { return nil }
    return AttemptScope(work, plan, running: ticket)
  }

  /// Starts the time of what is claimed, unless it has to wait, for permits or for a journal: then it begins later.
  private mutating func startTimers(of offer: inout RunOffer) {
    let isLimited = offer.work.isAttempt && offer.work.step.map(blueprint.isLimited) == true
    if holdsWorkBack || isLimited { return }
    let started = attemptBegins(offer.ticket)
    if !started.isEmpty { offer.timers = started }
  }

  /// Notes that an attempt begins: its time begins, unless it has already.
  mutating func attemptBegins(_ ticket: WorkTicket) -> [RunEffect] {
    guard blueprint.hasTimedAttempts, let id = claims[ticket]?.scope, var attempts = tree.attempts(id),
      attempts.aftermath == nil, attempts.timer == nil
    else { return [] }
    var effects: [RunEffect] = []
    attempts.timer = start(.attempt(id), after: attempts.plan.timeout, &effects)
    if attempts.totalTimer == nil {
      attempts.totalTimer = start(.allAttempts(id), after: attempts.plan.totalTimeout, &effects)
    }
    tree.keep(attempts, of: id)
    return effects
  }

  /// Adds a timer and the effect that starts it; `nil` without a time.
  mutating func start(_ use: TimerUse, after time: Duration?, _ effects: inout [RunEffect]) -> TimerID? {
    guard let time else { return nil }
    let timer = timers.insert(use)
    effects.append(.start(timer, time))
    return timer
  }

  // MARK: Looking at them

  /// The attempts that a claim belongs to; those that are opened only after a failure as if they were open.
  private func attempts(of ticket: WorkTicket) -> AttemptScope? {
    guard let claimed = claims[ticket], let id = claimed.scope, tree[id] != nil else { return nil }
    return tree.attempts(id) ?? firstAttempt(claimed.work, ticket)
  }

  /// What follows the end of a claim; its own if that is neither another attempt nor a recovery.
  func verdict(_ ticket: WorkTicket, _ settlement: Settlement, _ advice: RetryAdvice) -> FlowEvent.Source.Failure {
    guard var attempts = attempts(of: ticket) else { return .own }
    return switch attempts.attemptEnded(settlement, advice, mayRetry: mayRetry(attempts)) {
    case .ended: .own
    case .another: .retried
    case .recovery: .recovering
    }
  }

  /// Whether a claim belongs to attempts that share a time, which may be over between two of them.
  func hasTimeTogether(_ ticket: WorkTicket) -> Bool { attempts(of: ticket)?.totalTimer != nil }

  /// The failure that claimed work is about, such as a recovery.
  func failure(of ticket: WorkTicket) -> (any Error)? {
    guard let id = claims[ticket]?.scope, let attempts = tree.attempts(id) else { return nil }
    return attempts.aftermath?.failure ?? attempts.timeoutError
  }

  // MARK: Settling

  /// Notes that an attempt has ended, before it is settled: from here on, no timer has an effect on it.
  ///
  /// Returns the error of one that has taken too long.
  mutating func noteEnd(of ticket: WorkTicket) -> FlowError? {
    guard let id = claims[ticket]?.scope, var attempts = tree.attempts(id) else { return nil }
    attempts.hasEnded = true
    tree.keep(attempts, of: id)
    return attempts.timeoutError
  }

  /// Opens the attempts of work whose first attempt has failed; `nil` if it has no plan for them.
  mutating func settleFirstAttempt(
    _ work: RunWork, _ ticket: WorkTicket, in parent: ScopeID, _ result: RunResult
  ) -> [RunEffect]? {
    guard let end = result.attemptEnd, case .failed = end.settlement, let attempts = firstAttempt(work, ticket) else {
      return nil
    }
    return settleAttempt(tree.addAttempts(attempts, in: parent), end.settlement, end.advice)
  }

  /// Whether the run's budget allows another attempt; that of an undo is not counted.
  private func mayRetry(_ attempts: AttemptScope) -> Bool { attempts.isUndo || budget.allowsRetry }

  /// Notes a step or an item that has succeeded for good, unless its attempts are open: they know when it has.
  mutating func noteSuccess(of claimed: Claimed, _ result: RunResult) {
    // That a result was handed on says nothing of the item.
    guard case .settled(.succeeded) = result, !claimed.isHanding else { return }
    if let id = claimed.scope, case .attempts? = tree[id]?.kind { return }
    closing.note(claimed.work, in: blueprint)
  }

  mutating func settleAttempt(_ id: ScopeID, _ settlement: Settlement, _ advice: RetryAdvice) -> [RunEffect] {
    guard var attempts = tree.attempts(id) else { return [] }
    var effects = stop(&attempts.timer)
    let mayRetry = mayRetry(attempts)
    if !mayRetry, attempts.isRetried(settlement, advice), let step = attempts.work.step {
      effects.append(.retryDenied(step))
    }
    switch attempts.attemptEnded(settlement, advice, mayRetry: mayRetry) {
    case .ended(let settlement):
      effects += stop(&attempts.totalTimer)
      if !attempts.isUndo {
        if blueprint.hasUndos, settlement.isSuccess { closing.note(attempts.work, in: blueprint) }
        return effects + apply(tree.endAttempts(id, settlement))
      }
      drain()
      return effects
    case .recovery: effects += stop(&attempts.totalTimer)
    case .another(let delay):
      if !attempts.isUndo { budget.retryCount += 1 }
      if delay > .zero { attempts.timer = start(.attempt(id), after: delay, &effects) }
    }
    tree.keep(attempts, of: id)
    return effects
  }

  @inline(__always)
  mutating func stop(_ timer: inout TimerID?) -> [RunEffect] {
    guard let id = timer.take(), timers.remove(id) != nil else { return [] }
    return [.stop(id)]
  }

  // MARK: Timers

  /// Notes that a timer's time is over.
  mutating func fire(_ timer: TimerID) -> [RunEffect] {
    switch timers.remove(timer) {
    case .attempt(let id): return fireAttempt(id)
    case .allAttempts(let id): return fireAllAttempts(id)
    case .abandoning(let ticket):
      guard claims.update(ticket, { $0.abandoning = nil }) != nil else { return [] }
      abandoned.insert(ticket)
      return [.abandon(ticket)]
    case .deadline(let time): return end(.failed(FlowError.deadlineExceeded(time)))
    case nil: return []
    }
  }

  private mutating func fireAttempt(_ id: ScopeID) -> [RunEffect] {
    guard var attempts = tree.attempts(id) else { return [] }
    attempts.timer = nil
    let timedOut = attempts.timeIsOver()
    tree.keep(attempts, of: id)
    return timedOut.map { cancelTimedOut($0, attempts) } ?? []
  }

  private mutating func fireAllAttempts(_ id: ScopeID) -> [RunEffect] {
    guard var attempts = tree.attempts(id) else { return [] }
    attempts.totalTimer = nil
    let timedOut = attempts.runOutOfTime()
    // The time of an attempt that ends by itself goes on; the delay before one doesn't.
    let isRunning = if case .running = attempts.stage { true } else { false }
    let stopped = isRunning && timedOut == nil ? [] : stop(&attempts.timer)
    tree.keep(attempts, of: id)
    return stopped + (timedOut.map { cancelTimedOut($0, attempts) } ?? [])
  }

  private mutating func cancelTimedOut(_ ticket: WorkTicket, _ attempts: AttemptScope) -> [RunEffect] {
    var effects = [RunEffect.cancel(ticket)]
    let timer = start(.abandoning(ticket), after: attempts.plan.abandonsAfter, &effects)
    claims.update(ticket) { ($0.isCancelled, $0.abandoning) = (true, timer) }
    unpark(ticket)
    return effects
  }
}
