enum TimerUse: Sendable {
  /// A first attempt whose scope isn't open, or all attempts that begin with it.
  case first(WorkTicket, ofAll: Bool)
  /// An attempt, or the delay before one, or all attempts of a step or an item.
  case attempt(ScopeID, ofAll: Bool)
  /// Work that has timed out, and is not waited for any longer after that.
  case abandoning(WorkTicket)
  case deadline(Duration)
}

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

  /// The first attempt of claimed work as its scope would be, with the timers that it has; `nil` without a plan.
  private func firstAttempt(_ ticket: WorkTicket, _ claimed: Claimed) -> AttemptScope? {
    guard blueprint.has(.attempts), claimed.work.isAttempt, let step = claimed.work.step,
      let plan = blueprint.steps[step].options?.attempts
    else { return nil }
    return AttemptScope(work: claimed.work, plan: plan, stage: .running(ticket), timers: claimed.first)
  }

  /// Opens the scope of a first attempt with a plan; `nil` if it is open, or if the attempt no longer counts.
  @discardableResult
  mutating func openFirst(_ ticket: WorkTicket) -> ScopeID? {
    guard let claimed = claims[ticket], let parent = claimed.scope, let scope = tree[parent],
      let attempts = firstAttempt(ticket, claimed)
    else { return nil }
    if case .attempts = scope.kind { return nil }
    let id = tree.addAttempts(attempts, in: parent)
    claims.update(ticket) { ($0.scope, $0.first) = (id, AttemptTimers()) }
    if let timer = attempts.timers.own { timers.update(timer) { $0 = .attempt(id, ofAll: false) } }
    if let timer = attempts.timers.ofAll { timers.update(timer) { $0 = .attempt(id, ofAll: true) } }
    return id
  }

  /// Starts the time of what is claimed, unless it has to wait, for permits or for a journal: then it begins later.
  mutating func startTimers(of offer: inout RunOffer) {
    let isLimited = offer.work.isAttempt && offer.work.step.map(blueprint.isLimited) == true
    if holdsWorkBack || isLimited { return }
    let started = attemptBegins(offer.ticket)
    if !started.isEmpty { offer.timers = (offer.timers ?? []) + started }
  }

  /// Notes that an attempt begins: its time begins, unless it has already.
  mutating func attemptBegins(_ ticket: WorkTicket) -> [RunEffect] {
    guard blueprint.has(.timed), let claimed = claims[ticket], let id = claimed.scope else { return [] }
    var effects: [RunEffect] = []
    guard var attempts = tree.attempts(id) else {
      var first = claimed.first
      guard claimed.work.isAttempt, let step = claimed.work.step, blueprint.has(any: .timeout, at: step),
        first.own == nil, first.ofAll == nil
      else { return [] }
      // The plan itself is large, and isn't copied for this.
      let time = blueprint.steps[step].options?.attempts?.timeout
      let totalTime = blueprint.steps[step].options?.attempts?.totalTimeout
      first.own = start(.first(ticket, ofAll: false), after: time, &effects)
      first.ofAll = start(.first(ticket, ofAll: true), after: totalTime, &effects)
      claims.update(ticket) { $0.first = first }
      return effects
    }
    guard attempts.aftermath == nil, attempts.timers.own == nil else { return [] }
    attempts.timers.own = start(.attempt(id, ofAll: false), after: attempts.plan.timeout, &effects)
    if attempts.timers.ofAll == nil {
      attempts.timers.ofAll = start(.attempt(id, ofAll: true), after: attempts.plan.totalTimeout, &effects)
    }
    tree.keep(attempts, of: id)
    return effects
  }

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
    return tree.attempts(id) ?? firstAttempt(ticket, claimed)
  }

  /// What follows the end of a claim; its own if that is neither another attempt nor a recovery.
  func verdict(_ ticket: WorkTicket, _ result: RunResult) -> FlowEvent.Source.Failure {
    guard var attempts = attempts(of: ticket) else { return .own }
    let delay = mayRetry(attempts) ? result.retryDelay : nil
    return switch attempts.attemptEnded(result.settlement, retriedAfter: delay) {
    case .ended: .own
    case .another: .retried
    case .recovery: .recovering
    }
  }

  /// Whether a claim belongs to attempts that share a time, which may be over between two of them.
  func hasTimeTogether(_ ticket: WorkTicket) -> Bool { attempts(of: ticket)?.timers.ofAll != nil }

  /// The failure that claimed work is about, such as a recovery.
  func failure(of ticket: WorkTicket) -> (any Error)? {
    guard let id = claims[ticket]?.scope, let attempts = tree.attempts(id) else { return nil }
    return attempts.aftermath?.failure ?? attempts.timeoutError
  }

  // MARK: Settling

  /// Notes that an attempt has ended, so that no timer has an effect on it; returns its error if it took too long.
  mutating func noteEnd(of ticket: WorkTicket) -> FlowError? {
    guard let id = claims[ticket]?.scope else { return nil }
    guard var attempts = tree.attempts(id) else {
      claims.update(ticket) { $0.first.hasEnded = true }
      return nil
    }
    attempts.timers.hasEnded = true
    tree.keep(attempts, of: id)
    return attempts.timeoutError
  }

  /// Whether the run's budget allows another attempt; that of an undo is not counted.
  private func mayRetry(_ attempts: AttemptScope) -> Bool { attempts.work.kind == .undo || budget.allowsRetry }

  /// Notes a step or an item that has succeeded for good, unless its attempts are open: they know when it has.
  mutating func noteSuccess(of claimed: Claimed, _ result: RunResult) {
    guard case .settled(.succeeded) = result else { return }
    if let id = claimed.scope, case .attempts? = tree[id]?.kind { return }
    closing.note(claimed.work, in: blueprint)
  }

  mutating func settleAttempt(_ id: ScopeID, _ settlement: Settlement, retriedAfter delay: Duration?) -> [RunEffect] {
    guard var attempts = tree.attempts(id) else { return [] }
    var effects = stop(&attempts.timers.own)
    let mayRetry = mayRetry(attempts)
    if !mayRetry, delay != nil, attempts.mayRetry(settlement), let step = attempts.work.step {
      effects.append(.retryDenied(step))
    }
    switch attempts.attemptEnded(settlement, retriedAfter: mayRetry ? delay : nil) {
    case .ended(let settlement):
      effects += stop(&attempts.timers.ofAll)
      if attempts.work.kind != .undo {
        if blueprint.has(.undo), settlement.isSuccess { closing.note(attempts.work, in: blueprint) }
        return effects + apply(tree.endAttempts(id, settlement))
      }
      drain()
      return effects
    case .recovery: effects += stop(&attempts.timers.ofAll)
    case .another(let delay):
      if attempts.work.kind != .undo { budget.retryCount += 1 }
      if delay > .zero { attempts.timers.own = start(.attempt(id, ofAll: false), after: delay, &effects) }
    }
    tree.keep(attempts, of: id)
    return effects
  }

  @inline(__always)
  mutating func stop(_ first: inout AttemptTimers) -> [RunEffect] {
    blueprint.has(.timed) ? stop(&first.own) + stop(&first.ofAll) : []
  }

  @inline(__always)
  mutating func stop(_ timer: inout TimerID?) -> [RunEffect] {
    guard let id = timer.take(), timers.remove(id) != nil else { return [] }
    return [.stop(id)]
  }

  // MARK: Timers

  mutating func fire(_ timer: TimerID) -> [RunEffect] {
    switch timers.remove(timer) {
    case .first(let ticket, let isOfAll):
      guard let id = openFirst(ticket) else { return [] }
      return fire(id, isOfAll: isOfAll)
    case .attempt(let id, let isOfAll): return fire(id, isOfAll: isOfAll)
    case .abandoning(let ticket):
      guard claims.update(ticket, { $0.abandoning = nil }) != nil else { return [] }
      abandoned.insert(ticket)
      return [.abandon(ticket)]
    case .deadline(let time): return end(.failed(FlowError.deadlineExceeded(time)))
    case nil: return []
    }
  }

  private mutating func fire(_ id: ScopeID, isOfAll: Bool) -> [RunEffect] {
    guard var attempts = tree.attempts(id) else { return [] }
    var effects: [RunEffect] = []
    let timedOut: WorkTicket?
    if isOfAll {
      attempts.timers.ofAll = nil
      timedOut = attempts.runOutOfTime()
      // The time of an attempt that ends by itself goes on; the delay before one doesn't.
      let isRunning = if case .running = attempts.stage { true } else { false }
      if !isRunning || timedOut != nil { effects = stop(&attempts.timers.own) }
    } else {
      attempts.timers.own = nil
      timedOut = attempts.timeIsOver()
    }
    tree.keep(attempts, of: id)
    guard let ticket = timedOut else { return effects }
    effects.append(.cancel(ticket))
    let timer = start(.abandoning(ticket), after: attempts.plan.abandonsAfter, &effects)
    claims.update(ticket) { ($0.isCancelled, $0.abandoning) = (true, timer) }
    unpark(ticket)
    return effects
  }
}
