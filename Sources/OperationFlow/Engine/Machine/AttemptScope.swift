/// A step or item that may be tried again after a failure, with a time limit for each attempt.
struct AttemptScope: Sendable {
  enum Stage: Sendable, Hashable {
    /// The next attempt waits to be claimed.
    case offered
    case running(WorkTicket)
    /// The next attempt comes after a delay.
    case delayed
  }

  /// What an ended attempt leads to.
  enum Next: Sendable {
    case ended(Settlement)
    /// Another attempt, at once or after a delay.
    case another(after: Duration)
  }

  let work: RunWork
  let plan: AttemptPlan
  /// The number of the attempt that is offered, runs, or is waited for; counted from 1.
  private(set) var number = 1
  private(set) var stage = Stage.offered
  /// What times the running attempt, or the delay.
  var timer: TimerID?
  /// Whether the running attempt has taken too long.
  private(set) var isTimedOut = false

  init(_ work: RunWork, _ plan: AttemptPlan) {
    self.work = work
    self.plan = plan
  }

  mutating func begin(_ ticket: WorkTicket) { stage = .running(ticket) }

  /// Notes that the running attempt has taken too long; it is to be cancelled.
  mutating func timeOut() { isTimedOut = true }

  /// The delay is over.
  mutating func offer() { stage = .offered }

  /// The error of a running attempt that has taken too long.
  var timeoutError: FlowError? { isTimedOut ? .timedOut(plan.timeout ?? .zero) : nil }

  /// Notes that the running attempt has ended; one that has taken too long has failed, whatever it reports.
  mutating func attemptEnded(_ settlement: Settlement) -> Next {
    var settlement = settlement
    if let error = timeoutError, (settlement.error as? FlowError)?.code != error.code { settlement = .failed(error) }
    guard case .failed = settlement, number < plan.count else { return .ended(settlement) }
    number += 1
    isTimedOut = false
    stage = plan.delay > .zero ? .delayed : .offered
    return .another(after: plan.delay)
  }
}
