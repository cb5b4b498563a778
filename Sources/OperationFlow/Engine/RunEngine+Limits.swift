// Limited work takes its permits after it was claimed, and before it is recorded as started; their
// limiters count it when it is called. If it has to wait for one, it
// is parked, and resumed once it has all of them. They are given back under the run's lock when the claim settles; abandoned
// work keeps them until it has really ended. The limiters' locks are taken within the run's, and nothing within theirs.
//
// In a pause, work that has its permits and has not begun, or whose turn comes, gives them back, and asks again when it is
// offered again. What a lane is picking up when the run is paused does begin.

extension RunEngine {
  /// Takes the permits for work that a lane is about to perform; false if the work has to wait for one.
  @inline(__always)
  func mayPerform(_ claim: Claim, _ step: Blueprint.StepID) -> Bool {
    !blueprint.isLimited(step) || takePermits(for: claim, step)
  }

  /// The time of an attempt begins when it has all of its permits for the first time.
  @inline(never)
  private func takePermits(for claim: Claim, _ step: Blueprint.StepID) -> Bool {
    let ticket = claim.ticket
    let new = ClaimPermits(
      self, ticket, blueprint.steps[step].options?.limiters ?? [], precedence: blueprint.precedence(of: step))
    let times = new.times
    var effects = PendingEffects()
    let mayBegin = state.withLock { state in
      // What is cancelled needs no permit to end.
      guard state.claims[ticket] != nil, !state.machine.isStopping(ticket) else { return true }
      let permits = claim.permits.orNew(new)
      if let limiter = permits.take(at: times) {
        if limiter.hasClock { effects.rare.limiters.append(limiter) }
        return !state.park(claim, for: .limit)
      }
      if permits.prepare() { effects.timers = state.machine.attemptBegins(ticket) }
      return true
    }
    perform(effects)
    return mayBegin
  }

  /// The work of a step is called now, which is what its limiters count.
  @inline(__always)
  func workBegins(_ ticket: WorkTicket, _ source: FlowEvent.Source) {
    if blueprint.isLimited(Int(source.step)) { countBeginning(ticket) }
  }

  /// The times are read last, so that hardly anything comes between them and the work.
  @inline(never)
  private func countBeginning(_ ticket: WorkTicket) {
    guard let permits = permits(of: ticket) else { return }
    let times = permits.times
    FlowLimiter.serve(state.withLock { _ in permits.begin(at: times) })
  }

  /// What was called only leads to a task that calls the work.
  func workBeginsLater(_ ticket: WorkTicket, _ source: FlowEvent.Source) {
    guard blueprint.isLimited(Int(source.step)), let permits = permits(of: ticket) else { return }
    state.withLock { _ in permits.beginsLater() }
  }

  /// The permits of work that is called, which may have been abandoned since.
  private func permits(of ticket: WorkTicket) -> ClaimPermits? {
    state.withLock { ($0.claims[ticket] ?? $0.rare?.settled[ticket])?.permits }
  }

  /// One that waits has been given a permit; returns the limiters that are to be served.
  func permitArrived(for permits: ClaimPermits) -> [FlowLimiter] {
    let (ticket, times) = (permits.ticket, permits.times)
    let (laneCount, limiters) = state.withLock { state -> (Int, [FlowLimiter]) in
      // If it is cancelled, it keeps what it has until it is settled.
      guard permits.accept(), !state.machine.isStopping(ticket) else { return (0, []) }
      var limiters: [FlowLimiter] = []
      if state.machine.holdsUserWork {
        limiters = permits.giveBack()
      } else if let limiter = permits.take(at: times) {
        return (0, limiter.hasClock ? [limiter] : [])
      }
      state.machine.resume(ticket)
      return (state.lanesToAdd(), limiters)
    }
    addLanes(laneCount)
    return limiters
  }
}
