import Foundation

// Claimed work that waits for anything is parked: its claim stays, and its lane goes. Whoever has parked it resumes it, and
// then it is offered to lanes like new work. If it is cancelled, it is taken out under the lock and ended outside.
extension RunEngine {
  /// Lets parked work go on in a lane.
  func resume(_ ticket: WorkTicket) {
    let count = state.withLock { state in
      state.machine.resume(ticket)
      return state.lanesToAdd()
    }
    addLanes(count)
  }

  /// Lets parked work go on in this thread; while the run is paused, in a lane later.
  func resumeHere(_ ticket: WorkTicket) {
    let now = dates.now
    let claim = state.withLock { state -> Claim? in
      state.machine.resume(ticket)
      return state.machine.claim(ticket).flatMap { state.claims[$0.ticket] }.map { state.claimAgain($0, at: now) }
    }
    runLane(from: claim)
  }

  /// Takes parked work out, to go on with it or to end it; false if it was cancelled.
  func unpark(_ claim: Claim) -> Bool { state.withLock { _ in claim.stopWaiting() } }

  /// Stops each of the items, and ends what has not begun; the operations that are returned are to be told.
  func stop(_ cancelled: [CancelledWork]) -> [FlowOperation] {
    cancelled.compactMap { work in
      let operation = work.cancellable.stop(bucket)
      if let parked = work.parked { endUnbegun(parked, .cancelled) }
      return operation
    }
  }

  /// Ends claimed work that has not begun.
  func endUnbegun(_ claim: Claim, _ settlement: Settlement) {
    // An operation is discarded, which ends it.
    guard let step = claim.work.step, !claim.isUnderWay else { return }
    let failed = state.withLock { $0.rare?.remains[claim.work.attemptedWork] }
    let source = claim.source(failed?.name ?? blueprint.name(of: claim.work), of: step)
    switch claim.work.kind {
    // An undo is left to the resume.
    case .check, .plan, .undo: end(claim.ticket, .settled(settlement), source, .unbegun, lane: .none)
    // In a lane, because its end may hand on the next one.
    case .handOn: addLane { self.handingDidEnd(claim, settlement) }
    default: end(claim.ticket, .settled(settlement), source, lane: .none)
    }
  }
}

extension RunState {
  /// Parks claimed work, for a reason that users are told if there is one; false if it was asked to stop.
  mutating func park(_ claim: Claim, for reason: FlowRun.Waiting.Reason?) -> Bool {
    guard machine.park(claim.ticket) else { return false }
    claim.phase = .waiting(reason)
    return true
  }

  /// Notes that a lane claims work again that was parked.
  ///
  /// What is under way is parked until it is started. The time that work has waited for a limiter isn't its own.
  mutating func claimAgain(_ claim: Claim, at moment: RunMoment) -> Claim {
    let reason = claim.reason
    if claim.isUnderWay || !claim.stopWaiting() || reason != .limit { return claim }
    claim.time = moment.time
    // A step with attempts was opened when it was claimed.
    if claim.work.kind == .step, let step = claim.work.step { facts.reopen(step, at: moment.seconds) }
    return claim
  }
}
