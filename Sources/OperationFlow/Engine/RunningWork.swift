import Foundation

/// What can be cancelled of the work that a run has claimed, by ticket.
struct RunningWork: Sendable {
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

    /// Cancels what the library can cancel alone; an operation that is returned is to be told by `callCancel()`.
    ///
    /// That is a call of user code, which may never return, so it comes last.
    @inline(never)
    func stop(_ bucket: DataBucket) -> FlowOperation? {
      switch self {
      case .task(let task): task.cancel()
      case .lane(let lane, let ticket): lane.cancel(ticket)
      case .waiting(let operation, let starter):
        operation.discard(bucket)
        // It waits for others, and ends now, without doing its work.
        for dependency in starter.dependencies { starter.removeDependency(dependency) }
        starter.cancel()
      case .operation, .loose: if let operation, operation.stop() { return operation }
      case .untracked: break
      }
      return nil
    }
  }

  private struct Place: Sendable {
    var ticket: WorkTicket?
    var item = Item.untracked
  }

  private var places: [Place] = []

  subscript(ticket: WorkTicket) -> Item {
    let index = ticket.place
    return index < places.count && places[index].ticket == ticket ? places[index].item : .untracked
  }

  /// What there is to cancel under a ticket from now on.
  mutating func track(_ item: consuming Item, _ ticket: WorkTicket) {
    while places.count <= ticket.place { places.append(Place()) }
    places[ticket.place] = Place(ticket: ticket, item: item)
  }

  /// Stops holding the operation under a ticket.
  mutating func loosen(_ ticket: WorkTicket, _ operation: FlowOperation) {
    guard self[ticket].operation === operation else { return }
    track(.loose(WeakOperation(operation)), ticket)
  }

  /// Forgets what has settled; returns an operation, because it must not be freed under a lock.
  mutating func remove(_ ticket: WorkTicket) -> Item {
    let index = ticket.place
    guard index < places.count, places[index].ticket == ticket else { return .untracked }
    var removed = Place()
    swap(&places[index], &removed)
    return removed.item
  }
}
