// Limited work takes its permits at a gate, before it is recorded as started. Its limiters count it when it is called.
extension RunEngine {
  /// The work of a step is called now, which is what its limiters count.
  func workBegins(_ ticket: WorkTicket, _ source: FlowEvent.Source) {
    if blueprint.isLimited(Int(source.step)) { countBeginning(ticket) }
  }

  /// The times are read last, so that hardly anything comes between them and the work.
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
    let ticket = permits.ticket
    let times = permits.times
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
