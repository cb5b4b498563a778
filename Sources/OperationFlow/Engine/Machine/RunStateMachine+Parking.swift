/// How much claimed work can't begin now, and what of it may go on.
struct Parking: Sendable {
  fileprivate var waiting: Set<WorkTicket> = []
  /// What was resumed and is to be claimed, in that order.
  fileprivate(set) var resumed: [WorkTicket] = []

  /// How much is parked, including what was resumed.
  var count: Int { waiting.count + resumed.count }
}

// Why claimed work is parked, the machine doesn't know. What is asked to stop is parked no longer: it is to be settled.
extension RunStateMachine {
  /// Parks claimed work, which can't begin now; false if it is to be settled instead, because it was asked to stop.
  mutating func park(_ ticket: WorkTicket) -> Bool {
    guard let claimed = claims[ticket], !claimed.isCancelled else { return false }
    if !isResumed(ticket) { parking.waiting.insert(ticket) }
    return true
  }

  /// Offers parked work again, under the same ticket, unless it was asked to stop or has settled.
  mutating func resume(_ ticket: WorkTicket) {
    if parking.waiting.remove(ticket) != nil { parking.resumed.append(ticket) }
  }

  func isResumed(_ ticket: WorkTicket) -> Bool { parking.resumed.contains(ticket) }

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
    if parking.waiting.remove(ticket) != nil { return }
    if let index = parking.resumed.firstIndex(of: ticket) { parking.resumed.remove(at: index) }
  }
}
