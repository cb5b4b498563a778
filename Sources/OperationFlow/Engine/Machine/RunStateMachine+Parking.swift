/// Claimed work that can't begin now, and what of it may go on.
struct Parking: Sendable {
  /// What is parked, with whether it was resumed.
  private var parked: [WorkTicket: Bool] = [:]
  /// What was resumed, in that order; what was taken out in another way is dropped when its turn comes.
  private var resumed = Fifo<WorkTicket>()
  private(set) var resumedCount = 0

  var count: Int { parked.count }

  func isResumed(_ ticket: WorkTicket) -> Bool { parked[ticket] == true }

  mutating func park(_ ticket: WorkTicket) {
    if parked[ticket] == nil { parked[ticket] = false }
  }

  mutating func resume(_ ticket: WorkTicket) {
    guard parked[ticket] == false else { return }
    parked[ticket] = true
    resumed.append(ticket)
    resumedCount += 1
  }

  mutating func remove(_ ticket: WorkTicket) {
    if parked.removeValue(forKey: ticket) == true { resumedCount -= 1 }
  }

  /// What was resumed first; it is to be claimed.
  mutating func firstResumed() -> WorkTicket? {
    while let ticket = resumed.popFirst() {
      if isResumed(ticket) { return ticket }
    }
    return nil
  }
}

// Claimed work that waits for anything is parked, and resumed by the one that parked it. Why it waits, the machine doesn't
// know. What is asked to stop is parked no longer: it is to be settled.
extension RunStateMachine {
  /// Parks claimed work, which can't begin now; false if it is to be settled instead, because it was asked to stop.
  mutating func park(_ ticket: WorkTicket) -> Bool {
    guard let claimed = claims[ticket], !claimed.isCancelled else { return false }
    parking.park(ticket)
    return true
  }

  /// Offers parked work again, under the same ticket, unless it was asked to stop or has settled.
  mutating func resume(_ ticket: WorkTicket) { parking.resume(ticket) }

  /// Hands out a certain piece of work that was resumed; `nil` if it was not, or if a pause holds it.
  mutating func claim(_ ticket: WorkTicket) -> RunOffer? {
    guard !holdsUserWork, parking.isResumed(ticket), let claimed = claims[ticket] else { return nil }
    parking.remove(ticket)
    let attempts = claimed.scope.flatMap { tree.attempts($0) }
    return RunOffer(ticket: ticket, work: claimed.work, attempt: attempts?.number ?? 1)
  }
}
