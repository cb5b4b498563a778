/// A step or item that may be tried again after a failure, within a time, and that may recover from its last failure.
///
/// Without a time, it is opened only when the first attempt has failed, so an attempt that succeeds costs nothing.
struct AttemptScope: Sendable {
  enum Stage: Sendable, Hashable {
    /// The next attempt, or what follows the last one, waits to be claimed.
    case offered
    case running(WorkTicket)
    /// The next attempt comes after a delay.
    case delayed
  }

  /// What follows the last attempt.
  enum FollowUp: Sendable {
    /// Something is done about the failure.
    case recovery(any Error)
    /// The time of all attempts was over while none was at work.
    case expiry(any Error)
  }

  /// What an ended attempt leads to.
  enum Next: Sendable {
    case ended(Settlement)
    /// Another attempt, immediately or after a delay.
    case another(after: Duration)
    case recovery
  }

  let work: RunWork
  let plan: AttemptPlan
  /// The number of the attempt that is offered, runs, or is waited for; counted from 1.
  private(set) var number = 1
  private(set) var stage = Stage.offered
  private(set) var aftermath: FollowUp?
  /// What times the running attempt, or the delay.
  var timer: TimerID?
  /// What times all attempts together.
  var totalTimer: TimerID?
  /// Whether the running attempt has taken too long, or all attempts together.
  private var overtime = Overtime.none
  /// Whether all attempts together have taken too long.
  private(set) var isOutOfTime = false
  /// Whether the running attempt has ended, and only waits to be settled: it can't time out any more.
  private(set) var hasEnded = false

  private enum Overtime: Sendable { case none, attempt, allAttempts }

  /// The error of a running attempt that has taken too long.
  var timeoutError: FlowError? {
    switch overtime {
    case .none: nil
    case .attempt: .timedOut(plan.timeout ?? .zero)
    case .allAttempts: totalTimeoutError
    }
  }

  /// Whether the running attempt has taken too long.
  var isTimedOut: Bool { overtime != .none }

  init(_ work: RunWork, _ plan: AttemptPlan) {
    self.work = work
    self.plan = plan
  }

  /// Whether it undoes something.
  var isUndo: Bool { if case .undo = work { true } else { false } }

  /// The step that waits for its next attempt, or for what follows the last one; `nil` if one runs, and for an item.
  var waitingStep: Blueprint.StepID? {
    if case .running = stage { return nil }
    guard case .step(let step) = work else { return nil }
    return step
  }

  /// What is to be claimed next.
  var offeredWork: RunWork {
    guard let step = work.step else { return work }
    return switch aftermath {
    case .recovery: .recover(step, index: work.item ?? RunWork.noItem)
    case .expiry: .expire(step, index: work.item ?? RunWork.noItem)
    case nil: work
    }
  }

  /// The failure that the work at hand is about; `nil` for an attempt.
  var failure: (any Error)? {
    switch aftermath {
    case .recovery(let error), .expiry(let error): error
    case nil: nil
    }
  }

  mutating func begin(_ ticket: WorkTicket) { stage = .running(ticket) }

  /// The delay is over.
  mutating func offer() { stage = .offered }

  /// Notes that the running attempt has ended: a timer has no effect on it any more.
  mutating func noteEnd() { hasEnded = true }

  /// Notes that the running attempt has taken too long; it is to be cancelled.
  mutating func timeOut() {
    if !isTimedOut { overtime = .attempt }
  }

  /// Notes that all attempts together have taken too long; true if a running one is to be cancelled.
  mutating func runOutOfTime() -> Bool {
    isOutOfTime = true
    guard case .running = stage else {
      // The attempt that was to come never begins.
      number -= 1
      aftermath = .expiry(totalTimeoutError)
      stage = .offered
      return false
    }
    guard !hasEnded, aftermath == nil, !isTimedOut else { return false }
    overtime = .allAttempts
    return true
  }

  private var totalTimeoutError: FlowError { .timedOut(plan.totalTimeout ?? .zero, attempts: number) }

  /// Whether a failure is followed by another attempt.
  func isRetried(_ settlement: Settlement, _ advice: RetryAdvice) -> Bool {
    guard aftermath == nil, !isOutOfTime, number < plan.count, case .failed = settlement.counted(timeoutError)
    else { return false }
    return advice.delay(by: plan) != nil
  }

  /// Notes that the running attempt, or what followed the last one, has ended.
  mutating func attemptEnded(
    _ settlement: Settlement, _ advice: RetryAdvice = .byPlan, mayRetry: Bool = true
  ) -> Next {
    if case .recovery = aftermath { return .ended(settlement) }
    let settlement = settlement.counted(timeoutError)
    if mayRetry, isRetried(settlement, advice), let delay = advice.delay(by: plan) {
      number += 1
      (overtime, hasEnded) = (.none, false)
      stage = delay > .zero ? .delayed : .offered
      return .another(after: delay)
    }
    guard plan.recovers, case .failed(let error) = settlement else { return .ended(settlement) }
    aftermath = .recovery(error)
    stage = .offered
    return .recovery
  }
}

extension Settlement {
  /// How an end counts: an attempt that has taken too long has failed, whatever it reports.
  @inline(never)
  func counted(_ timeout: FlowError?) -> Settlement {
    guard let timeout, (error as? FlowError)?.code != timeout.code else { return self }
    return .failed(timeout)
  }
}
