/// What a timer of the state machine is for.
enum TimerUse: Sendable {
  /// A first attempt whose scope isn't open.
  case firstAttempt(WorkTicket)
  /// All attempts together, of which the first is at work and its scope isn't open.
  case firstOfAll(WorkTicket)
  /// An attempt, or the delay before one.
  case attempt(ScopeID)
  /// All attempts of a step or an item together.
  case allAttempts(ScopeID)
  /// Work that has timed out, and is not waited for any longer after that.
  case abandoning(WorkTicket)
  /// The whole run.
  case deadline(Duration)

  /// The scope that it belongs to.
  var scope: ScopeID? {
    switch self {
    case .attempt(let scope), .allAttempts(let scope): scope
    case .firstAttempt, .firstOfAll, .abandoning, .deadline: nil
    }
  }

  /// The work that is given up when its time is over.
  var abandonedTicket: WorkTicket? {
    if case .abandoning(let ticket) = self { ticket } else { nil }
  }
}

// Attempts: what follows a failure, and what their timers do.
extension RunStateMachine {
  // MARK: Claiming

  mutating func claimAttempt(of id: ScopeID) -> RunOffer? {
    guard var attempts = tree.attempts(id) else { return nil }
    let isFirst = attempts.number == 1 && attempts.aftermath == nil
    if isFirst, attempts.work.beginsStep { noteStep() }
    var offer = hand(attempts.offeredWork, to: id)
    offer.attempt = attempts.number
    attempts.begin(offer.ticket)
    if attempts.aftermath == nil, !mayHaveToWait(attempts.work) {
      let started = startTimers(of: &attempts, id)
      if !started.isEmpty { offer.timers = started }
    }
    tree.keep(attempts, of: id, isOffered: false)
    return offer
  }

  /// Whether the time of claimed work begins later: once it has its permits, and once the journal lets it begin.
  func mayHaveToWait(_ work: RunWork) -> Bool {
    holdsWorkBack || work.isAttempt && work.step.map(blueprint.isLimited) == true
  }

  private mutating func startTimers(of attempts: inout AttemptScope, _ id: ScopeID) -> [RunEffect] {
    var effects: [RunEffect] = []
    if let timer = start(.attempt(id), after: attempts.plan.timeout, &effects) { attempts.timer = timer }
    if attempts.totalTimer == nil {
      attempts.totalTimer = start(.allAttempts(id), after: attempts.plan.totalTimeout, &effects)
    }
    return effects
  }

  /// Adds a timer and the effect that starts it; `nil` without a time.
  mutating func start(_ use: TimerUse, after time: Duration?, _ effects: inout [RunEffect]) -> TimerID? {
    guard let time else { return nil }
    let timer = timers.insert(use)
    effects.append(.start(timer, time))
    return timer
  }

  /// Notes that an attempt begins that may have had to wait: its time begins, unless it has already.
  mutating func attemptBegins(_ ticket: WorkTicket) -> [RunEffect] {
    guard blueprint.hasTimedAttempts, let claimed = claims[ticket], let id = claimed.scope else { return [] }
    guard var attempts = tree.attempts(id) else { return timersOfFirst(ticket, claimed) }
    guard attempts.aftermath == nil, attempts.timer == nil else { return [] }
    let effects = startTimers(of: &attempts, id)
    tree.keep(attempts, of: id, isOffered: false)
    return effects
  }

  // MARK: Looking at them

  /// The attempts that a claim belongs to; those that are opened only after a failure as if they were open.
  private func attempts(of ticket: WorkTicket) -> AttemptScope? {
    guard let claimed = claims[ticket], let id = claimed.scope else { return nil }
    switch tree[id]?.kind {
    case .attempts(let place, _)?: return tree.attempts[place]
    case .block, .fan: return firstAttempt(ticket, claimed)
    case nil: return nil
    }
  }

  func firstAttempt(_ work: RunWork) -> AttemptScope? {
    guard blueprint.hasAttemptPlans, work.isAttempt, let step = work.step,
      let plan = blueprint.steps[step].options.attempts
    else { return nil }
    return AttemptScope(work, plan)
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
    return attempts.failure ?? attempts.timeoutError
  }

  // MARK: Settling

  /// Notes that an attempt has ended, before it is settled: from here on, no timer has an effect on it.
  ///
  /// Returns the error of one that has taken too long.
  mutating func noteEnd(of ticket: WorkTicket) -> FlowError? {
    guard let id = claims[ticket]?.scope else { return nil }
    guard var attempts = tree.attempts(id) else {
      _ = firstEndsInTime(ticket)
      return nil
    }
    attempts.noteEnd()
    tree.keep(attempts, of: id, isOffered: false)
    return attempts.timeoutError
  }

  /// Opens the attempts of work whose first attempt has failed; `nil` if nothing follows the failure.
  mutating func settleFirstAttempt(_ work: RunWork, in parent: ScopeID, _ result: RunResult) -> [RunEffect]? {
    guard let end = result.attemptEnd, case .failed = end.settlement, let attempts = firstAttempt(work) else {
      return nil
    }
    switch tree[parent]?.kind {
    case .block, .fan: break
    case .attempts, nil: return nil
    }
    var ended = attempts
    if case .ended = ended.attemptEnded(end.settlement, end.advice, mayRetry: budget.allowsRetry) {
      let denied = deniedRetry(attempts, end.settlement, end.advice)
      return denied.isEmpty ? nil : denied + settleFinally(work, in: parent, end.settlement)
    }
    return settleAttempt(tree.addAttempts(attempts, in: parent, isOffered: false), end.settlement, end.advice)
  }

  private mutating func settleFinally(
    _ work: RunWork, in parent: ScopeID, _ settlement: Settlement
  ) -> [RunEffect] {
    if case .fan? = tree[parent]?.kind { return apply(tree.settle(work, ofFan: parent, .settled(settlement))) }
    return apply(tree.settle(work, ofBlock: parent, .settled(settlement)))
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

  private func deniedRetry(
    _ attempts: AttemptScope, _ settlement: Settlement, _ advice: RetryAdvice
  ) -> [RunEffect] {
    guard !mayRetry(attempts), attempts.isRetried(settlement, advice), let step = attempts.work.step else { return [] }
    return [.retryDenied(step)]
  }

  mutating func settleAttempt(_ id: ScopeID, _ settlement: Settlement, _ advice: RetryAdvice) -> [RunEffect] {
    guard var attempts = tree.attempts(id) else { return [] }
    var effects = stop(&attempts.timer) + deniedRetry(attempts, settlement, advice)
    switch attempts.attemptEnded(settlement, advice, mayRetry: mayRetry(attempts)) {
    case .ended(let settlement):
      effects += stop(&attempts.totalTimer)
      if !attempts.isUndo {
        if blueprint.hasUndos, settlement.isSuccess { closing.note(attempts.work, in: blueprint) }
        return effects + apply(tree.endAttempts(id, settlement))
      }
      drain()
      return effects
    case .recovery:
      effects += stop(&attempts.totalTimer)
      tree.keep(attempts, of: id, isOffered: true)
      return effects
    case .another(let delay):
      if !attempts.isUndo { budget.retryCount += 1 }
      if delay > .zero { attempts.timer = start(.attempt(id), after: delay, &effects) }
      tree.keep(attempts, of: id, isOffered: delay <= .zero)
      return effects
    }
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
    case .firstAttempt(let ticket): return fireFirstAttempt(ticket)
    case .firstOfAll(let ticket): return fireFirstOfAll(ticket)
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

  mutating func fireAttempt(_ id: ScopeID) -> [RunEffect] {
    guard var attempts = tree.attempts(id) else { return [] }
    attempts.timer = nil
    switch attempts.stage {
    case .running(let ticket):
      guard !attempts.hasEnded, !attempts.isTimedOut else {
        tree.keep(attempts, of: id, isOffered: false)
        return []
      }
      attempts.timeOut()
      return cancelTimedOut(ticket, attempts, id)
    case .delayed:
      attempts.offer()
      tree.keep(attempts, of: id, isOffered: true)
    case .offered: tree.keep(attempts, of: id, isOffered: false)
    }
    return []
  }

  mutating func fireAllAttempts(_ id: ScopeID) -> [RunEffect] {
    guard var attempts = tree.attempts(id) else { return [] }
    attempts.totalTimer = nil
    let (stage, isCancelled) = (attempts.stage, attempts.runOutOfTime())
    if case .running(let ticket) = stage {
      if isCancelled { return stop(&attempts.timer) + cancelTimedOut(ticket, attempts, id) }
      tree.keep(attempts, of: id, isOffered: false)
      return []
    }
    let effects = stop(&attempts.timer)
    tree.keep(attempts, of: id, isOffered: stage == .delayed)
    return effects
  }

  private mutating func cancelTimedOut(_ ticket: WorkTicket, _ attempts: AttemptScope, _ id: ScopeID) -> [RunEffect] {
    tree.keep(attempts, of: id, isOffered: false)
    var effects = [RunEffect.cancel(ticket)]
    let timer = start(.abandoning(ticket), after: attempts.plan.abandonsAfter, &effects)
    claims.update(ticket) { ($0.isCancelled, $0.abandoning) = (true, timer) }
    unpark(ticket)
    return effects
  }
}

extension RunResult {
  /// The same without what it means for another attempt.
  var withoutAdvice: RunResult {
    if case .failed(let error, _) = self { .settled(.failed(error)) } else { self }
  }
}
