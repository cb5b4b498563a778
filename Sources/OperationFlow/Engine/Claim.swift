import Foundation

/// A piece of work from its claim to its end.
///
/// A lane has the claim while it performs the work. While the work waits for anything, no lane has the claim.
package final class Claim: @unchecked Sendable {
  // Invariant: only the lane that has the claim uses the flags, except `hasBegun` and `isCancelled`, and another lane gets the claim
  // under the lock of the run's state. All other variables are read and written under that lock.
  enum Phase: Sendable {
    /// A lane has the claim, or its work continues elsewhere.
    case claimed
    /// The claim is parked, until its gate or the end of its dependencies resumes it; a reason of `nil` is a test's.
    case waiting(FlowRun.Waiting.Reason?)
  }

  package let ticket: WorkTicket
  package let work: RunWork
  package let attempt: Int
  /// The time of the claim; after a wait for a limiter, the time when the limiter let the work begin.
  var time: Date
  var phase = Phase.claimed
  var cancellable = Cancellable.nothing
  /// The claim's permits; `nil` unless its step is limited.
  var permits: ClaimPermits?
  /// The group of an item.
  var group: GroupRun?
  /// The failure that a recovery is for; the machine drops it when the end of the run is decided.
  var failure: (any Error)?
  /// True if its operation had to wait for dependencies: then the operation only has to be started.
  var isUnderWay = false
  /// True once the run or a time limit has cancelled it.
  var isCancelled = false
  /// True if its code was called, or is about to be.
  package var hasBegun = false
  /// True if it has already waited for the journal.
  var isSynchronized = false
  /// True if the journal has the beginning of its attempt.
  var isNoted = false
  /// True if a test's probe has made it wait.
  var wasIntercepted = false

  init(_ ticket: WorkTicket, _ work: RunWork, attempt: Int, at time: Date) {
    self.ticket = ticket
    self.work = work
    self.attempt = attempt
    self.time = time
  }

  /// True if an attempt at the work has begun; always true for other work.
  var isBegun: Bool { hasBegun || attempt > 1 || !work.isAttempt }

  var isWaiting: Bool { if case .waiting = phase { true } else { false } }

  /// The reason that users see why it waits.
  var reason: FlowRun.Waiting.Reason? { if case .waiting(let reason) = phase { reason } else { nil } }

  /// Ends the wait of parked work; returns false if the work doesn't wait.
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
  case continues
  /// The lane is a task, which claims the next work unless it was cancelled with its work.
  case task(TaskLane)
  /// The lane has already ended.
  case none
  /// The work was abandoned, and it or its lane still runs.
  case abandoned
}

/// The claims that have not ended, by the slots of their tickets.
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

  /// Removes a claim; returns false if it ended before.
  mutating func remove(_ claim: Claim) -> Bool {
    guard claim.ticket.place < places.count, places[claim.ticket.place] === claim else { return false }
    places[claim.ticket.place] = nil
    return true
  }

  /// Releases the permits of claims that have all of theirs and have not begun; those acquire them again later.
  func releaseUnbegun() -> [FlowLimiter] {
    places.compactMap { $0?.permits }.filter(\.isReady).flatMap { $0.release() }
  }
}

/// The part of claimed work that can be cancelled.
enum Cancellable: Sendable {
  case nothing
  case operation(FlowOperation)
  /// An operation with dependencies, which isn't started before they have finished.
  case waiting(FlowOperation, starter: Operation)
  /// An operation that didn't finish or call `startWithAsynchronous()`; it is freed if nothing else retains it.
  case loose(WeakOperation)
  case task(Task<Void, Never>)
  /// Work in a lane, which may do other work by the time of the cancel.
  case lane(TaskLane, WorkTicket)

  var operation: FlowOperation? {
    switch self {
    case .operation(let operation), .waiting(let operation, _): operation
    case .loose(let reference): reference.operation
    case .nothing, .task, .lane: nil
    }
  }

  /// True if it waits only for operations of flows, which runs perform themselves.
  var waitsForOperations: Bool {
    guard case .waiting(let operation, _) = self else { return false }
    let awaited = operation.dependencies.filter { !$0.isFinished }
    return !awaited.isEmpty && awaited.allSatisfy { $0 is FlowOperation }
  }

  /// Cancels as much as the library can by itself; returns an operation whose `callCancel()` has to be called.
  ///
  /// That is a call of users' code, which may never return, so it is made last.
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

  /// Ends an operation that waits for others, without its work: as cancelled, or with an error.
  func endUnstarted(_ bucket: DataBucket, _ error: (any Error)? = nil) {
    guard case .waiting(let operation, let starter) = self else { return }
    operation.discard(bucket, error)
    for dependency in starter.dependencies { starter.removeDependency(dependency) }
    starter.cancel()
  }
}
