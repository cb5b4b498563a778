enum TimerUse: Sendable {
  /// The time limit of an attempt, the delay before one, or the time limit of all attempts at a step or an item.
  case attempt(ScopeID, ofAll: Bool)
  /// The limit of the wait for work that timed out.
  case abandoning(WorkTicket)
  case deadline(Duration)
}

extension RunStateMachine {
  // MARK: Claiming

  /// Returns the plan of an attempt; `nil` for work that is done once, without a time limit or a recovery.
  func plan(of work: RunWork) -> AttemptPlan? {
    guard work.isAttempt, let step = work.step else { return nil }
    return blueprint.steps[step].options?.attempts
  }

  /// Opens the attempts at a step or an item whose first one is claimed.
  mutating func beginAttempts(_ offer: RunOffer, _ plan: AttemptPlan, in parent: ScopeID) -> RunOffer {
    _ = openAttempts(offer.work, plan, offer.ticket, in: parent)
    return startingTimers(of: offer)
  }

  mutating func openAttempts(
    _ work: RunWork, _ plan: AttemptPlan, _ ticket: WorkTicket, in parent: ScopeID
  ) -> ScopeID {
    let id = tree.addAttempts(AttemptScope(work: work, plan: plan, stage: .running(ticket)), in: parent)
    claims.update(ticket) { $0.scope = id }
    return id
  }

  /// Claims the next attempt, or its aftermath.
  mutating func claimAttempt(of id: ScopeID) -> RunOffer? {
    guard let (work, number) = tree.changeAttempts(id, { ($0.offeredWork, $0.number) }) else { return nil }
    var offer = hand(work, to: id)
    offer.attempt = number
    tree.changeAttempts(id) { $0.stage = .running(offer.ticket) }
    return startingTimers(of: offer)
  }

  /// Starts the timers of claimed work, unless it may have to wait for permits or a journal: then they start later.
  private mutating func startingTimers(of offer: RunOffer) -> RunOffer {
    let isLimited = offer.work.isAttempt && offer.work.step.map(blueprint.isLimited) == true
    if holdsWorkBack || isLimited { return offer }
    let started = attemptBegins(offer.ticket)
    var offer = offer
    if !started.isEmpty { offer.timers = started }
    return offer
  }

  /// Starts the timers of an attempt that begins, unless they have started before.
  mutating func attemptBegins(_ ticket: WorkTicket) -> [RunEffect] {
    guard blueprint.has(.timed), let id = claims[ticket]?.scope, let attempts = tree.attempts(id),
      attempts.aftermath == nil, attempts.timers.own == nil
    else { return [] }
    var effects: [RunEffect] = []
    var timers = attempts.timers
    timers.own = start(.attempt(id, ofAll: false), after: attempts.plan.timeout, &effects)
    if timers.ofAll == nil {
      timers.ofAll = start(.attempt(id, ofAll: true), after: attempts.plan.totalTimeout, &effects)
    }
    tree.changeAttempts(id) { [timers] in $0.timers = timers }
    return effects
  }

  mutating func start(_ use: TimerUse, after time: Duration?, _ effects: inout [RunEffect]) -> TimerID? {
    guard let time else { return nil }
    let timer = timers.insert(use)
    effects.append(.start(timer, time))
    return timer
  }

  // MARK: Looking at them

  /// Returns the failure that claimed work is about, such as that of a recovery, or its timeout.
  func failure(of ticket: WorkTicket) -> (any Error)? {
    guard let id = claims[ticket]?.scope, let attempts = tree.attempts(id) else { return nil }
    return attempts.aftermath?.failure ?? attempts.timeoutError
  }

  // MARK: Settling

  /// Marks an attempt as ended, so that no timer has an effect on it; returns its timeout error if it timed out.
  mutating func endTiming(of ticket: WorkTicket) -> (any Error)? {
    guard let id = claims[ticket]?.scope else { return nil }
    let error = tree.changeAttempts(id) { attempts in
      attempts.timers.hasEnded = true
      return attempts.timeoutError
    }
    return error ?? nil
  }

  /// Settles an attempt: another one follows, or a recovery, or the end of the step or the item.
  mutating func settleAttempt(
    _ ticket: WorkTicket, in id: ScopeID, _ result: RunResult, isRepeated: Bool, hasBegun: Bool,
    _ decision: inout Decision
  ) {
    // A result of another kind is not a failure of the attempt, and is not retried.
    guard let settlement = result.end else {
      _ = claims.remove(ticket)
      decision.effects += end(.failed(FlowError.unexpectedResult))
      return
    }
    let hasBudget = budget.allowsRetry
    let step = tree.changeAttempts(id) { attempts in
      // An attempt after an end of the process isn't counted in the budget.
      let isFree = attempts.work.kind == .undo || settlement.isProcessEnd
      let mayRetry = isFree || hasBudget
      let isDenied = !mayRetry && result.retryDelay != nil && attempts.mayRetry(settlement)
      let own = attempts.timers.own.take()
      let delay = mayRetry ? result.retryDelay : nil
      let next = attempts.attemptEnded(settlement, retriedAfter: delay, inAnyCase: isRepeated)
      let ofAll: TimerID? = if case .another = next { nil } else { attempts.timers.ofAll.take() }
      return AttemptStep(work: attempts.work, next: next, isFree: isFree, isDenied: isDenied, own: own, ofAll: ofAll)
    }
    guard var step else { return }
    let work = step.work
    stop(&step.own, &decision.effects)
    if step.isDenied, let denied = work.step { decision.effects.append(.retryDenied(denied)) }
    stop(&step.ofAll, &decision.effects)
    switch step.next {
    case .ended(let settlement):
      let isUndo = work.kind == .undo
      if !isUndo { decision.handing = claimHanding(of: ticket) }
      _ = claims.remove(ticket)
      if isUndo { return drain() }
      addToCleanup(work, settlement, hasBegun: hasBegun)
      apply(tree.endAttempts(id, settlement), &decision.effects)
    case .recovery:
      decision.follow = .recovering
      _ = claims.remove(ticket)
    case .another(let delay):
      decision.follow = .retried
      _ = claims.remove(ticket)
      if !step.isFree { budget.retryCount += 1 }
      guard delay > .zero else { return }
      let timer = start(.attempt(id, ofAll: false), after: delay, &decision.effects)
      tree.changeAttempts(id) { $0.timers.own = timer }
    }
  }

  /// The end of an attempt as its scope has decided it, with the timers that end with it.
  private struct AttemptStep {
    let work: RunWork
    let next: AttemptScope.Next
    /// True if another attempt isn't counted in the run's budget.
    let isFree: Bool
    /// True if only the run's budget prevents another attempt.
    let isDenied: Bool
    var own: TimerID?
    var ofAll: TimerID?
  }

  mutating func stop(_ timer: inout TimerID?, _ effects: inout [RunEffect]) {
    if let id = timer.take(), timers.remove(id) != nil { effects.append(.stop(id)) }
  }

  // MARK: Timers

  mutating func fire(_ timer: TimerID) -> [RunEffect] {
    switch timers.remove(timer) {
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
    var own: TimerID?
    let timedOut = tree.changeAttempts(id) { attempts -> WorkTicket? in
      guard isOfAll else {
        attempts.timers.own = nil
        return attempts.timeIsOver()
      }
      attempts.timers.ofAll = nil
      let timedOut = attempts.runOutOfTime()
      // An attempt that ends by itself retains its timer; a delay doesn't.
      let isRunning = if case .running = attempts.stage { true } else { false }
      if !isRunning || timedOut != nil { own = attempts.timers.own.take() }
      return timedOut
    }
    var effects: [RunEffect] = []
    stop(&own, &effects)
    guard let ticket = timedOut ?? nil else { return effects }
    effects.append(.cancel(ticket))
    let timer = start(.abandoning(ticket), after: tree.attempts(id)?.plan.abandonsAfter, &effects)
    claims.update(ticket) { ($0.isCancelled, $0.abandoning) = (true, timer) }
    unpark(ticket)
    return effects
  }
}
