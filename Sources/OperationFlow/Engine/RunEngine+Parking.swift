import Foundation

/// Claimed work that can't begin now, as the engine knows it: the state machine knows nothing of the reason.
struct ParkedClaim: Sendable {
  /// Who has parked it, and resumes it.
  enum Parker: Sendable {
    case limiter
    case journal
    /// The journal, of a result that is to be handed on.
    indirect case result(DeliveryQueue.Held)
    /// The operations that its own one depends on.
    case dependencies
    /// A test.
    case probe
  }

  /// The claim as it goes on.
  let claim: RunClaim
  let parker: Parker
}

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
    let claim = state.withLock { state -> RunClaim? in
      state.machine.resume(ticket)
      return state.machine.claim(ticket).flatMap { state.claimAgain($0.ticket, at: now) }
    }
    runLane(from: claim)
  }

  /// Takes parked work out, to go on with it or to end it; `nil` if it was cancelled.
  func unpark(_ ticket: WorkTicket) -> ParkedClaim? { state.withLock { $0.rare?[ticket]?.parked.take() } }

  /// Cancels what the library can cancel alone, and ends what has not begun.
  ///
  /// The operations that are returned are to be told by `callCancel()`.
  func stop(_ cancelled: [CancelledWork]) -> [FlowOperation] {
    cancelled.compactMap { work in
      let operation = work.running.stop(bucket)
      if let parked = work.parked { endUnbegun(parked) }
      return operation
    }
  }

  /// Ends claimed work as cancelled that has not begun.
  func endUnbegun(_ parked: ParkedClaim) {
    let claim = parked.claim
    guard let step = claim.work.step else { return }
    if claim.isUnderWay {
      // In a lane, because its end may hand on the next one. An operation is discarded, which ends it.
      if case .result(let held) = parked.parker { addLane { self.handingDidEnd(held, .cancelled, of: step) } }
      return
    }
    let expected = claim.source(blueprint.name(of: claim.work), of: step)
    let failed = state.withLock { $0.rare?.remains[claim.work.attemptedWork] }
    let source = failed.map { expected.named($0.name) } ?? expected
    switch claim.work {
    // An undo is left to the resume.
    case .check, .plan, .undo: settle(claim.ticket, .settled(.cancelled), source, lane: .none)
    default: complete(claim.ticket, source, .cancelled, lane: .none)
    }
  }
}

extension RunState {
  /// Parks claimed work; false if it was asked to stop.
  @inline(never)
  mutating func park(_ claim: RunClaim, by parker: ParkedClaim.Parker) -> Bool {
    guard machine.park(claim.ticket) else { return false }
    rareOrNew.claim(claim.ticket).parked = ParkedClaim(claim: claim, parker: parker)
    return true
  }

  /// The claim of work that was parked, when a lane claims it again; `nil` for new work.
  ///
  /// What is under way stays until it is gone on with. The time that work has waited for a limiter isn't its own.
  @inline(__always)
  mutating func claimAgain(_ ticket: WorkTicket, at date: Date) -> RunClaim? {
    rare?[ticket].flatMap { claimAgain($0, at: date) }
  }

  @inline(never)
  private mutating func claimAgain(_ rare: RareClaim, at date: Date) -> RunClaim? {
    guard let parked = rare.parked else { return nil }
    if parked.claim.isUnderWay { return parked.claim }
    rare.parked = nil
    if case .limiter = parked.parker { claims[rare.ticket].date = date }
    return parked.claim
  }
}
