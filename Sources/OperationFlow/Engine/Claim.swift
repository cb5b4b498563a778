import Foundation

/// A piece of work from its claim to its end.
///
/// A lane has the claim while it performs the work. While the work waits for anything, no lane has it.
package final class Claim: @unchecked Sendable {
  // Invariant: the flags belong to the lane that has the claim, and pass on with it under the lock of the
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
  /// The failure that a recovery is about: the machine forgets it when the end of the run is decided.
  var failure: (any Error)?
  /// True if it was parked while it was performed: its operation is to be started.
  var isUnderWay = false
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

  /// Removes a claim, which may free what the lock must not be held for.
  mutating func remove(_ ticket: WorkTicket) -> Claim? {
    guard self[ticket] != nil else { return nil }
    return places[ticket.place].take()
  }

  /// Gives the permits back of claims that have all of theirs and have not begun; these may ask again.
  func giveBackUnbegun() -> [FlowLimiter] {
    places.compactMap { $0?.permits }.filter(\.isReady).flatMap { $0.giveBack() }
  }
}
