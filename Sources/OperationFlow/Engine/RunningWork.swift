import Foundation

/// When a piece of work was claimed, and for which attempt.
struct ClaimNote: Sendable {
  var time = Date.distantPast
  var attempt = 1
}

/// What a run keeps about the work that it has claimed, by the places of the tickets.
struct RunningWork: ~Copyable, Sendable {
  /// What there is to cancel.
  enum Item: Sendable {
    case untracked
    case operation(FlowOperation)
    /// An operation that has dependencies of its own, and isn't started before they have finished.
    case waiting(FlowOperation, starter: Operation)
    /// An operation that never said that it ends later, and has to be freed when nothing else holds it.
    case loose(WeakOperation)
    case task(Task<Void, Never>)
    /// Work that a lane does, which may do other work by the time that this is cancelled.
    case lane(TaskLane, WorkTicket)

    var operation: FlowOperation? {
      switch self {
      case .operation(let operation), .waiting(let operation, _): operation
      case .loose(let reference): reference.operation
      case .untracked, .task, .lane: nil
      }
    }

    /// Whether it waits for operations of flows, which are work of runs themselves.
    var waitsForOperations: Bool {
      guard case .waiting(let operation, _) = self else { return false }
      let awaited = operation.dependencies.filter { !$0.isFinished }
      return !awaited.isEmpty && awaited.allSatisfy { $0 is FlowOperation }
    }

    /// Cancels what the library can cancel alone; an operation that is returned is to be told by `callCancel()`.
    ///
    /// That is a call of user code, which may never return, so it comes last.
    @inline(never)
    func stop(_ bucket: DataBucket) -> FlowOperation? {
      switch self {
      case .task(let task): task.cancel()
      case .lane(let lane, let ticket): lane.cancelRun(ticket)
      case .waiting: endUnstarted(bucket)
      case .operation, .loose: if let operation, operation.stop() { return operation }
      case .untracked: break
      }
      return nil
    }

    /// What waits for others ends now, without doing its work: as cancelled, or with an error.
    func endUnstarted(_ bucket: DataBucket, _ error: (any Error)? = nil) {
      guard case .waiting(let operation, let starter) = self else { return }
      operation.discard(bucket, error)
      for dependency in starter.dependencies { starter.removeDependency(dependency) }
      starter.cancel()
    }
  }

  private struct Place: Sendable {
    /// What settled work has left stays until the place is used again.
    var note = ClaimNote()
    /// Whose the others are; `nil` if there are none.
    var ticket: WorkTicket?
    var item = Item.untracked
    var rare: RareClaim?

    /// Makes the place a ticket's, without what an earlier one has left there.
    mutating func give(to ticket: WorkTicket) {
      if self.ticket != ticket { (self.ticket, item, rare) = (ticket, .untracked, nil) }
    }
  }

  /// Separate, because usually one piece of work runs alone, and then no array is needed.
  private var first = Place()
  private var others: [Place] = []

  @inline(__always)
  private mutating func change<Result>(_ ticket: WorkTicket, _ change: (inout Place) -> Result) -> Result {
    let place = ticket.place
    guard place > 0 else { return change(&first) }
    if others.count < place { makeRoom(for: place) }
    return change(&others[place - 1])
  }

  @inline(never)
  private mutating func makeRoom(for place: Int) {
    while others.count < place { others.append(Place()) }
  }

  @inline(__always)
  subscript(noteOf ticket: WorkTicket) -> ClaimNote {
    get {
      let place = ticket.place
      if place == 0 { return first.note }
      return place <= others.count ? others[place - 1].note : ClaimNote()
    }
    set { change(ticket) { $0.note = newValue } }
  }

  subscript(ticket: WorkTicket) -> Item {
    let place = ticket.place
    if place == 0 { return first.ticket == ticket ? first.item : .untracked }
    return place <= others.count && others[place - 1].ticket == ticket ? others[place - 1].item : .untracked
  }

  /// What few claims have, of a claim that has not settled; `nil` if that is nothing.
  func rare(_ ticket: WorkTicket) -> RareClaim? {
    let place = ticket.place
    if place == 0 { return first.ticket == ticket ? first.rare : nil }
    return place <= others.count && others[place - 1].ticket == ticket ? others[place - 1].rare : nil
  }

  mutating func rareOrNew(_ ticket: WorkTicket) -> RareClaim {
    change(ticket) { place in
      place.give(to: ticket)
      return place.rare.orNew(RareClaim(ticket))
    }
  }

  /// What there is to cancel under a ticket from now on.
  mutating func track(_ item: consuming Item, _ ticket: WorkTicket) {
    change(ticket) { place in
      place.give(to: ticket)
      place.item = item
    }
  }

  mutating func loosen(_ ticket: WorkTicket, _ operation: FlowOperation) {
    guard self[ticket].operation === operation else { return }
    track(.loose(WeakOperation(operation)), ticket)
  }

  /// Forgets what has settled; returns an operation, because it must not be freed under a lock.
  mutating func remove(_ ticket: WorkTicket) -> Item {
    change(ticket) { place in
      guard place.ticket == ticket else { return .untracked }
      var removed = Item.untracked
      swap(&place.item, &removed)
      (place.ticket, place.rare) = (nil, nil)
      return removed
    }
  }

  /// Claims that have all of their permits and have not begun give them back, and may ask again.
  func giveBackUnbegun() -> [FlowLimiter] {
    ([first] + others).compactMap { $0.rare?.permits }.filter(\.isReady).flatMap { $0.giveBack() }
  }
}
