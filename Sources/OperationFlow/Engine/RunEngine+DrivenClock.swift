// What a run tells a clock that is driven by a program, so that no time passes while it has something to do.
extension RunEngine {
  /// Lets the clock know what the run does.
  func joinClock() {
    if let driven { driven.clock?.join(driven) { [weak self] in self?.openWork($0) } }
  }

  /// Calls code of a piece of work, so that the clock knows whose it is.
  func calling<Result>(_ ticket: WorkTicket, _ body: () throws -> Result) rethrows -> Result {
    guard let driven else { return try body() }
    return try DrivenWork.$current.withValue(DrivenWork(driven, ticket), operation: body)
  }

  /// Lets no time pass between a decision and what follows from it, which is carried out outside the lock.
  func holdClock(_ isHeld: Bool) {
    if let driven { driven.clock?.hold(isHeld) }
  }

  /// What has begun and not ended, unless it waits for the clock or for other work; `nil` after the end of the run.
  private func openWork(_ isWaiting: (DrivenWork) -> Bool) -> OpenWork? {
    guard let driven else { return nil }
    let claims = state.withLock { state -> [(ticket: WorkTicket, cancellable: Cancellable)]? in
      guard state.outcome.current == nil else { return nil }
      return state.machine.claims.all.compactMap { ticket, _ in
        guard let claim = state.claims[ticket], !claim.work.isBookkeeping, !isWaiting(DrivenWork(driven, ticket)) else {
          return nil
        }
        if state.machine.holdsUserWork, state.machine.isResumed(ticket) { return nil }
        if claim.reason == .limit, claim.permits?.awaited?.waitsForTime(besides: driven.clock) != true { return nil }
        if case .operation(is any WaitingOperation) = claim.cancellable { return nil }
        // Results are handed on one after the other.
        if case .nothing = claim.cancellable, claim.work.kind == .handOn { return nil }
        return (ticket, claim.cancellable)
      }
    }
    guard let claims else { return nil }
    let tickets = Set(claims.lazy.filter { !$0.cancellable.waitsForOperations }.map(\.ticket))
    return (
      isEmpty: tickets.isEmpty,
      names: { [weak self] in
        self.map { engine in engine.waiting(among: tickets).map { "\($0.source) of \(engine.flowName)" } } ?? []
      }
    )
  }
}
