import Foundation

// Claimed work that is limited takes its permits after it was claimed, and before it is recorded as started. If it has to
// wait for one, it is parked, and resumed once it has all of them. They are given back when the claim settles, under the
// run's lock, so that all of them are back when the run has ended, apart from those of abandoned work: it keeps them until
// it has really ended, and the late end gives them back. The limiters' locks are taken within the run's, and nothing within
// theirs.
//
// While a run is paused, work that has its permits and has not begun, or whose turn comes, gives them back, and asks again
// when it is offered again. What a lane is picking up when the run is paused does begin.

extension RunEngine {
  /// Takes the permits for work that a lane is about to perform; false if the work has to wait for one.
  @inline(__always)
  func mayPerform(_ claim: RunClaim, _ step: Blueprint.StepID) -> Bool {
    !blueprint.isLimited(step) || takePermits(for: claim, step)
  }

  /// The time of an attempt begins when it has all of its permits for the first time.
  @inline(never)
  private func takePermits(for claim: RunClaim, _ step: Blueprint.StepID) -> Bool {
    guard let limits = blueprint.steps[step].options.limits else { return true }
    let (ticket, times) = (claim.ticket, limits.times)
    var effects = PendingEffects()
    let mayBegin = state.withLock { state in
      // What is cancelled needs no permit to end.
      guard state.machine.work(of: ticket) != nil, !state.machine.isStopping(ticket) else { return true }
      if let limiter = state.rareOrNew.permits.take(ticket, limits, at: times, { RunWaiter(self, ticket, limits) }) {
        if limiter.hasClock { effects.rare.limiters.append(limiter) }
        return !state.park(claim, by: .limiter)
      }
      guard let begun = state.rareOrNew.permits.begin(ticket, at: times) else { return true }
      effects.rare.limiters = begun.limiters
      if begun.isFirst { effects.timers.append(state.machine.attemptBegins(ticket)) }
      return true
    }
    perform(effects)
    return mayBegin
  }

  /// Called under the lock when limited work settles; returns the limiters that are to be served.
  func endPermits(
    _ ticket: WorkTicket, _ source: FlowEvent.Source?, _ lane: LaneUse, _ state: inout RunState
  ) -> [FlowLimiter] {
    guard lane == .abandoned, let source else { return state.rare?.permits.end(ticket) ?? [] }
    return state.rareOrNew.permits.keep(ticket, for: PermitKeeper(source, in: flowName))
  }

  /// Gives the permits back that abandoned work has kept: it has ended.
  func endKeptPermits(_ ticket: WorkTicket) {
    FlowLimiter.serve(state.withLock { $0.rare?.permits.endKept(ticket) ?? [] })
  }

  /// One that waits has been given a permit; returns the limiters that are to be served.
  fileprivate func permitArrived(_ waiter: RunWaiter) -> [FlowLimiter] {
    let (ticket, times) = (waiter.ticket, waiter.limits.times)
    let (laneCount, limiters) = state.withLock { state -> (Int, [FlowLimiter]) in
      // If it is cancelled, it keeps what it has until it is settled.
      guard state.rareOrNew.permits.accept(ticket), !state.machine.isStopping(ticket) else { return (0, []) }
      var limiters: [FlowLimiter] = []
      if state.machine.holdsUserWork {
        limiters = state.rareOrNew.permits.giveBack(ticket)
      } else if let limiter = state.rareOrNew.permits.take(ticket, waiter.limits, at: times, { waiter }) {
        return (0, limiter.hasClock ? [limiter] : [])
      }
      state.machine.resume(ticket)
      return (state.lanesToAdd(), limiters)
    }
    addLanes(laneCount)
    return limiters
  }
}

/// Claimed work of a run that waits for a permit.
private final class RunWaiter: PermitWaiter {
  let engine: RunEngine
  let ticket: WorkTicket
  let limits: StepLimits

  init(_ engine: RunEngine, _ ticket: WorkTicket, _ limits: StepLimits) {
    (self.engine, self.ticket, self.limits) = (engine, ticket, limits)
  }

  func permitArrived() -> [FlowLimiter] { engine.permitArrived(self) }
}
