/// How much claimed work can't begin now, and what of it may go on.
struct Parking: Sendable {
  fileprivate var waiting: Set<WorkTicket> = []
  /// What was resumed and is to be claimed.
  fileprivate(set) var resumed: Set<WorkTicket> = []
  /// The same in its order, with what has gone since: a hundred thousand may be resumed at once.
  private var order = Fifo<WorkTicket>()

  /// How much is parked, including what was resumed.
  var count: Int { waiting.count + resumed.count }
  /// How much of it was not.
  var waitingCount: Int { waiting.count }

  /// What was resumed first.
  fileprivate mutating func firstResumed() -> WorkTicket? {
    while let first = order.first, !resumed.contains(first) { _ = order.popFirst() }
    return order.first
  }

  fileprivate mutating func resume(_ ticket: WorkTicket) {
    guard waiting.remove(ticket) != nil else { return }
    resumed.insert(ticket)
    order.append(ticket)
  }

  fileprivate mutating func remove(_ ticket: WorkTicket) {
    guard waiting.remove(ticket) == nil, resumed.remove(ticket) != nil else { return }
    if order.first == ticket { _ = order.popFirst() }
  }
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
    parking.resume(ticket)
  }

  func isResumed(_ ticket: WorkTicket) -> Bool { parking.resumed.contains(ticket) }

  /// Hands out what was resumed first; `nil` if nothing was, or if a pause holds it.
  mutating func claimResumed() -> RunOffer? { parking.firstResumed().flatMap { claim($0) } }

  /// Hands out a certain piece of work that was resumed; `nil` if it was not, or if a pause holds it.
  mutating func claim(_ ticket: WorkTicket) -> RunOffer? {
    guard !holdsUserWork, isResumed(ticket), let claimed = claims[ticket] else { return nil }
    unpark(ticket)
    let attempts = claimed.scope.flatMap { tree.attempts($0) }
    return RunOffer(ticket: ticket, work: claimed.work, attempt: attempts?.number ?? 1)
  }

  /// Notes that claimed work goes on, or is to be settled.
  mutating func unpark(_ ticket: WorkTicket) {
    if parking.count > 0 { parking.remove(ticket) }
  }
}
