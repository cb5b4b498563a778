import Foundation

/// A piece of work from its claim to its end.
///
/// A lane has the claim while it performs the work. While the work waits for anything, no lane has it.
package final class Claim: @unchecked Sendable {
  // Invariant: the flags but `hasBegun` belong to the lane that has the claim, and pass on with it under the lock of the
  // run's state. All other variables are read and written under that lock.
  enum Phase: Sendable {
    /// A lane has it, or its work goes on elsewhere.
    case claimed
    /// It is parked, until the gate that has parked it resumes it; a reason of `nil` is a test's.
    case waiting(FlowRun.Waiting.Reason?)
  }

  package let ticket: WorkTicket
  package let work: RunWork
  package let attempt: Int
  /// The time when it was claimed; of work that has waited for a limiter, the time when that let it begin.
  var time: Date
  var phase = Phase.claimed
  var cancellable = Cancellable.nothing
  /// `nil` unless its step is limited.
  var permits: ClaimPermits?
  /// The group of an item.
  var group: GroupRun?
  /// The failure that a recovery is about: the machine forgets it when the end of the run is decided.
  var failure: (any Error)?
  /// True if it was parked while it was performed: its operation is to be started.
  var isUnderWay = false
  /// True if its code has been called, or is about to be.
  package var hasBegun = false
  /// True if it has waited until the journal was synchronized.
  var isSynchronized = false
  /// True if the journal has that it begins.
  var isNoted = false
  /// True if a test has been asked for an interception.
  var wasIntercepted = false

  init(_ ticket: WorkTicket, _ work: RunWork, attempt: Int, at time: Date) {
    self.ticket = ticket
    self.work = work
    self.attempt = attempt
    self.time = time
  }

  /// True if an attempt at the work has begun.
  var isBegun: Bool { hasBegun || attempt > 1 || !work.isAttempt }

  var isWaiting: Bool { if case .waiting = phase { true } else { false } }

  /// The reason why it waits, that users are told.
  var reason: FlowRun.Waiting.Reason? { if case .waiting(let reason) = phase { reason } else { nil } }

  /// Ends the wait of parked work; false if it doesn't wait.
  func stopWaiting() -> Bool {
    defer { phase = .claimed }
    return isWaiting
  }

  func source(_ name: String, of step: Blueprint.StepID) -> FlowEvent.Source {
    FlowEvent.Source(name, step: step, item: work.item, attempt: attempt)
  }
}

/// The use of a lane when its work ends.
package enum LaneUse: Sendable {
  /// The lane claims the next work.
  case goesOn
  /// The lane is a task, which does so unless it was cancelled with its work.
  case task(TaskLane)
  /// The lane has already ended.
  case none
  /// The lane is still at work, or its work is, although nothing waits for that any longer.
  case abandoned
}

/// The claims that have not ended, by the places of their tickets.
struct Claims: ~Copyable, Sendable {
  private var places: [Claim?] = []

  subscript(ticket: WorkTicket) -> Claim? {
    guard ticket.place < places.count, let claim = places[ticket.place], claim.ticket == ticket else { return nil }
    return claim
  }

  mutating func insert(_ claim: Claim) {
    while places.count <= claim.ticket.place { places.append(nil) }
    places[claim.ticket.place] = claim
  }

  /// Removes a claim; false if it has ended before.
  mutating func remove(_ claim: Claim) -> Bool {
    guard claim.ticket.place < places.count, places[claim.ticket.place] === claim else { return false }
    places[claim.ticket.place] = nil
    return true
  }

  /// Gives the permits back of claims that have all of theirs and have not begun; these may ask again.
  func giveBackUnbegun() -> [FlowLimiter] {
    places.compactMap { $0?.permits }.filter(\.isReady).flatMap { $0.giveBack() }
  }
}

/// The part of claimed work that a cancel reaches.
enum Cancellable: Sendable {
  case nothing
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
    case .nothing, .task, .lane: nil
    }
  }

  /// True if it waits for operations of flows, which are work of runs themselves.
  var waitsForOperations: Bool {
    guard case .waiting(let operation, _) = self else { return false }
    let awaited = operation.dependencies.filter { !$0.isFinished }
    return !awaited.isEmpty && awaited.allSatisfy { $0 is FlowOperation }
  }

  /// Cancels what the library can cancel alone; an operation that is returned is to be told by `callCancel()`.
  ///
  /// That is a call of user code, which may never return, so it comes last.
  func stop(_ bucket: DataBucket) -> FlowOperation? {
    switch self {
    case .task(let task): task.cancel()
    case .lane(let lane, let ticket): lane.cancelRun(ticket)
    case .waiting: endUnstarted(bucket)
    case .operation, .loose: if let operation, operation.stop() { return operation }
    case .nothing: break
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
