import Foundation

// Claimed work that is limited takes its permits after it was claimed, and before it is recorded as started. If it has to
// wait, it is no lane's work: its claim stays, with a `RunWaiter` that the limiter and the run know, and a lane of the
// run continues with it once it has all permits. They are given back when the claim settles, under the run's lock, so
// that all of them are back when the run has ended, apart from those of abandoned work: it keeps them until it has really
// ended, and the late end gives them back. The limiters' locks are taken within the run's, and nothing within theirs.
//
// While a run is paused, none of its waiters begins: one whose turn comes gives all of its permits back and is kept
// aside, and asks again when the run is resumed. What a lane is picking up when the run is paused does begin.

extension RunEngine {
  /// Called under the lock when limited work has all of its permits for the first time, and begins: once for each
  /// claim, and so for each attempt.
  ///
  /// Its time counts from here. `date` is the time if it had to wait.
  func limitedWorkBegins(
    _ ticket: WorkTicket, at date: Date?, _ state: inout RunState, _ effects: inout PendingEffects
  ) {
    if let date { state.claims[ticket].date = date }
    effects.timers.append(state.machine.attemptBegins(ticket))
  }

  /// Takes the permits for work that a lane is about to perform; false if the work has to wait for one.
  @inline(__always)
  func mayPerform(_ claim: RunClaim, _ step: Blueprint.StepID) -> Bool {
    !blueprint.isLimited(step) || claim.hasPermits || takePermits(for: claim, step)
  }

  @inline(never)
  private func takePermits(for claim: RunClaim, _ step: Blueprint.StepID) -> Bool {
    guard let limits = blueprint.steps[step].options.limits else { return true }
    return takePermits(claim.ticket, limits) { RunWaiter(self, claim.ticket, limits, .perform(claim)) }
  }

  /// Gives the permits of an operation back, which has to wait for others before it can start.
  func returnPermits(_ ticket: WorkTicket) {
    FlowLimiter.serve(state.withLock { $0.permits.giveBack(ticket) })
  }

  /// Takes permits again for an operation that has waited for others; if it has to wait for one, `start` is called once
  /// it has them.
  func takePermitsAgain(
    _ ticket: WorkTicket, for operation: FlowOperation, _ start: @escaping @Sendable () -> Void
  ) -> Bool {
    guard let limits = state.withLock({ $0.permits.limits(of: ticket) }) else { return true }
    return takePermits(ticket, limits) { RunWaiter(self, ticket, limits, .start(operation, start)) }
  }

  private func takePermits(_ ticket: WorkTicket, _ limits: StepLimits, _ makeWaiter: () -> RunWaiter) -> Bool {
    let times = limits.times
    var effects = PendingEffects()
    let mayBegin = state.withLock { state in
      // What is cancelled needs no permit to end.
      guard state.machine.work(of: ticket) != nil, !state.machine.isStopping(ticket) else { return true }
      var waiter: RunWaiter?
      let limiter = state.permits.take(ticket, limits, at: times) {
        let made = makeWaiter()
        waiter = made
        return made
      }
      guard let limiter else {
        begin(ticket, at: times, nil, &state, &effects)
        return true
      }
      if let waiter { effects.freed = state.running.exchange(.limited(waiter), ticket) }
      if limiter.hasClock { effects.limiters.append(limiter) }
      return false
    }
    perform(effects)
    return mayBegin
  }

  @discardableResult
  private func begin(
    _ ticket: WorkTicket, at times: [Duration], _ date: Date?, _ state: inout RunState, _ effects: inout PendingEffects
  ) -> Bool {
    guard let (limiters, isFirst) = state.permits.begin(ticket, at: times) else { return false }
    effects.limiters += limiters
    if isFirst { limitedWorkBegins(ticket, at: date, &state, &effects) }
    return true
  }

  /// Called under the lock when limited work settles; returns the limiters that are to be served.
  func endPermits(
    _ ticket: WorkTicket, _ source: FlowEvent.Source?, _ lane: LaneUse, _ state: inout RunState
  ) -> [FlowLimiter] {
    guard lane == .abandoned, let source else { return state.permits.end(ticket) }
    return state.permits.keep(ticket, for: PermitKeeper(source, in: flowName))
  }

  /// Gives the permits back that abandoned work has kept: it has ended.
  func endKeptPermits(_ ticket: WorkTicket) {
    FlowLimiter.serve(state.withLock { $0.permits.endKept(ticket) })
  }

  // MARK: Waiting

  /// One that waits has been given a permit; returns the limiters that are to be served.
  func permitArrived(_ waiter: RunWaiter) -> [FlowLimiter] {
    let times = waiter.limits.times
    let (isReady, limiters) = state.withLock { state -> (Bool, [FlowLimiter]) in
      // If it is cancelled, it keeps what it has until it is settled.
      guard state.permits.accept(waiter.ticket), !state.machine.isStopping(waiter.ticket) else { return (false, []) }
      return state.ask(for: waiter, at: times)
    }
    if isReady { addLane(for: waiter) }
    return limiters
  }

  /// Lets those ask again that were kept aside while the run was paused, in their order.
  func resumePausedWaiters() {
    let waiters = state.withLock { state in
      defer { state.pausedWaiters = [] }
      return state.pausedWaiters
    }
    for waiter in waiters {
      let times = waiter.limits.times
      let (isReady, limiters) = state.withLock { state -> (Bool, [FlowLimiter]) in
        let isThere = state.machine.work(of: waiter.ticket) != nil && !state.machine.isStopping(waiter.ticket)
        return isThere ? state.ask(for: waiter, at: times) : (false, [])
      }
      if isReady { addLane(for: waiter) }
      FlowLimiter.serve(limiters)
    }
  }

  /// Forgets those that were kept aside by a run that ends while it is paused; each of them refers to the run.
  func dropPausedWaiters() {
    _ = state.withLock { state in
      defer { state.pausedWaiters = [] }
      return state.pausedWaiters
    }
  }

  private func addLane(for waiter: RunWaiter) {
    addLane { self.perform(waiter) }
  }

  /// Performs what has waited, unless it was cancelled in the meantime.
  private func perform(_ waiter: RunWaiter) {
    let (times, now) = (waiter.limits.times, dates.now)
    var effects = PendingEffects()
    let mayBegin = state.withLock { state in
      guard !state.machine.isStopping(waiter.ticket), begin(waiter.ticket, at: times, now, &state, &effects) else {
        return false
      }
      effects.freed = state.running.remove(waiter.ticket)
      return true
    }
    perform(effects)
    guard mayBegin else { return }
    switch waiter.work {
    case .perform(var claim):
      claim.hasPermits = true
      runLane(from: claim)
    case .start(_, let start): start()
    }
  }

  /// Ends a claim as cancelled that waits for a permit.
  func endWaiting(_ claim: RunClaim) {
    guard let step = claim.work.step else { return }
    complete(claim.ticket, claim.source(blueprint.name(of: claim.work), of: step), .cancelled, lane: .none)
  }
}

extension RunState {
  /// Asks for the permits that a waiter doesn't have yet; true if it has all, otherwise with limiters to serve.
  fileprivate mutating func ask(for waiter: RunWaiter, at times: [Duration]) -> (isReady: Bool, [FlowLimiter]) {
    guard !machine.holdsUserWork else {
      pausedWaiters.append(waiter)
      return (false, permits.giveBack(waiter.ticket))
    }
    guard let limiter = permits.take(waiter.ticket, waiter.limits, at: times, { waiter }) else { return (true, []) }
    return (false, limiter.hasClock ? [limiter] : [])
  }
}
