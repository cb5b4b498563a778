/// Claimed work that can't begin now, and parked work that may continue.
struct Parking: Sendable {
  fileprivate var waiting: Set<WorkTicket> = []
  /// The work that was resumed and can be claimed.
  fileprivate(set) var resumed: Set<WorkTicket> = []
  /// The resumed work in order, with some that was removed: removing it here would be slow with a hundred thousand.
  private var order = Fifo<WorkTicket>()

  /// The number of parked pieces of work, including resumed ones.
  var count: Int { waiting.count + resumed.count }
  /// The number of parked pieces of work without resumed ones.
  var waitingCount: Int { waiting.count }

  /// Returns the work that was resumed first.
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

// The machine doesn't record why work is parked. Work that is asked to stop is unparked, because it has to be settled.
extension RunStateMachine {
  /// Parks claimed work that can't begin now; returns false if it was asked to stop, and has to be settled instead.
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

  /// Claims the work that was resumed first; `nil` if there is none, or if the run is paused.
  mutating func claimResumed() -> RunOffer? { parking.firstResumed().flatMap { claim($0) } }

  /// Claims one piece of resumed work; `nil` if it wasn't resumed, or if the run is paused.
  mutating func claim(_ ticket: WorkTicket) -> RunOffer? {
    guard !holdsUserWork, isResumed(ticket), let claimed = claims[ticket] else { return nil }
    unpark(ticket)
    let attempts = claimed.scope.flatMap { tree.attempts($0) }
    return RunOffer(ticket: ticket, work: claimed.work, attempt: attempts?.number ?? 1)
  }

  /// Removes work that continues, or is to be settled, from the parked work.
  mutating func unpark(_ ticket: WorkTicket) {
    if parking.count > 0 { parking.remove(ticket) }
  }
}
