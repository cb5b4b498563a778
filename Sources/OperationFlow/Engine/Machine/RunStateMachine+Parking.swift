/// How much claimed work can't begin now, and what of it may go on.
struct Parking: Sendable {
  enum Stage: Sendable { case none, parked, resumed }

  /// How much is parked, including what was resumed.
  fileprivate(set) var count = 0
  fileprivate(set) var resumedCount = 0
  /// What was resumed, in that order; what was taken out in another way is dropped when its turn comes.
  fileprivate var resumed = Fifo<WorkTicket>()
}

// Claimed work that waits for anything is parked, and resumed by the one that parked it. Why it waits, the machine doesn't
// know. What is asked to stop is parked no longer: it is to be settled.
extension RunStateMachine {
  /// Parks claimed work, which can't begin now; false if it is to be settled instead, because it was asked to stop.
  mutating func park(_ ticket: WorkTicket) -> Bool {
    guard let claimed = claims[ticket], !claimed.isCancelled else { return false }
    if claimed.parking == .none {
      claims.update(ticket) { $0.parking = .parked }
      parking.count += 1
    }
    return true
  }

  /// Offers parked work again, under the same ticket, unless it was asked to stop or has settled.
  mutating func resume(_ ticket: WorkTicket) {
    guard claims[ticket]?.parking == .parked else { return }
    claims.update(ticket) { $0.parking = .resumed }
    parking.resumed.append(ticket)
    parking.resumedCount += 1
  }

  func isResumed(_ ticket: WorkTicket) -> Bool { claims[ticket]?.parking == .resumed }

  /// What was resumed first; it is to be claimed.
  mutating func firstResumed() -> WorkTicket? {
    while let ticket = parking.resumed.popFirst() {
      if isResumed(ticket) { return ticket }
    }
    return nil
  }

  /// Hands out a certain piece of work that was resumed; `nil` if it was not, or if a pause holds it.
  mutating func claim(_ ticket: WorkTicket) -> RunOffer? {
    guard !holdsUserWork, isResumed(ticket), let claimed = claims[ticket] else { return nil }
    unpark(ticket)
    let attempts = claimed.scope.flatMap { tree.attempts($0) }
    return RunOffer(ticket: ticket, work: claimed.work, attempt: attempts?.number ?? 1)
  }

  /// Notes that claimed work goes on, or is to be settled.
  @inline(__always)
  mutating func unpark(_ ticket: WorkTicket) {
    if parking.count > 0 { removeParked(ticket) }
  }

  private mutating func removeParked(_ ticket: WorkTicket) {
    guard let stage = claims[ticket]?.parking, stage != .none else { return }
    claims.update(ticket) { $0.parking = .none }
    parking.count -= 1
    if stage == .resumed { parking.resumedCount -= 1 }
  }
}
