struct AttemptTimers: Sendable {
  /// That of the running attempt, or of the delay.
  var own: TimerID?
  var ofAll: TimerID?
  /// Whether the running attempt has ended, and only waits to be settled: it can't time out any more.
  var hasEnded = false
}

/// A step or item that may be tried again after a failure, within a time, and that may recover from its last failure.
///
/// It is opened when the first attempt is claimed.
struct AttemptScope: Sendable {
  enum Stage: Sendable, Hashable {
    /// The next attempt, or what follows the last one, waits to be claimed.
    case offered
    case running(WorkTicket)
    /// The next attempt comes after a delay.
    case delayed
  }

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
  var stage: Stage
  /// What follows the last attempt: a recovery, or its end because the time of all attempts was over while none was at work.
  private(set) var aftermath: (isRecovery: Bool, failure: any Error)?
  var timers = AttemptTimers()
  /// The error of a running attempt that has taken too long, alone or with those before it.
  private(set) var timeoutError: (any Error)?
  /// Whether all attempts together have taken too long.
  private(set) var isOutOfTime = false

  /// The step that waits for its next attempt, or for what follows the last one; `nil` if one runs, and for an item.
  var waitingStep: Blueprint.StepID? {
    if case .running = stage { return nil }
    return work.kind == .step ? work.step : nil
  }

  /// The number of the last attempt, if none is at work: it has failed, and is followed by something.
  var cutOffNumber: Int? {
    if case .running = stage { return nil }
    return aftermath == nil ? number - 1 : number
  }

  var offeredWork: RunWork {
    guard let step = work.step, let aftermath else { return work }
    return RunWork(aftermath.isRecovery ? .recover : .expire, of: step, item: work.item)
  }

  /// Notes that the delay is over, or that the running attempt has taken too long: returns that if it is to be cancelled.
  mutating func timeIsOver() -> WorkTicket? {
    if stage == .delayed { stage = .offered }
    guard case .running(let ticket) = stage, !timers.hasEnded, timeoutError == nil else { return nil }
    timeoutError = FlowError.timedOut(plan.timeout ?? .zero)
    return ticket
  }

  /// Notes that all attempts together have taken too long; returns the running one if it is to be cancelled.
  mutating func runOutOfTime() -> WorkTicket? {
    isOutOfTime = true
    guard case .running(let ticket) = stage else {
      // The attempt that was to come never begins.
      number -= 1
      aftermath = (isRecovery: false, failure: totalTimeoutError)
      stage = .offered
      return nil
    }
    guard !timers.hasEnded, aftermath == nil, timeoutError == nil else { return nil }
    timeoutError = totalTimeoutError
    return ticket
  }

  private var totalTimeoutError: FlowError { .timedOut(plan.totalTimeout ?? .zero, attempts: number) }

  func mayRetry(_ settlement: Settlement) -> Bool {
    guard case .failed = settlement.counted(timeoutError) else { return false }
    return aftermath == nil && !isOutOfTime && number < plan.count
  }

  /// Notes the end of the running attempt, or of what followed the last one; without a delay, no other attempt comes.
  mutating func attemptEnded(
    _ settlement: Settlement, retriedAfter delay: Duration? = nil, inAnyCase: Bool = false
  ) -> Next {
    if aftermath?.isRecovery == true { return .ended(settlement) }
    let settlement = settlement.counted(timeoutError)
    if let delay, inAnyCase || mayRetry(settlement) {
      number += 1
      timeoutError = nil
      timers.hasEnded = false
      stage = delay > .zero ? .delayed : .offered
      return .another(after: delay)
    }
    guard plan.recovers, case .failed(let error) = settlement else { return .ended(settlement) }
    aftermath = (isRecovery: true, failure: error)
    stage = .offered
    return .recovery
  }
}

extension Settlement {
  /// True for an attempt in which the process has ended, as a resume finds out.
  var isProcessEnd: Bool { error?.has(.processEnded) == true }

  /// How an end counts: an attempt that has taken too long has failed, whatever it reports.
  func counted(_ timeout: (any Error)?) -> Settlement {
    guard let timeout, error?.has(.timedOut) != true else { return self }
    return .failed(timeout)
  }
}

/// How many attempts of a run follow failures, and how many may.
struct RetryBudget: Sendable {
  var limit: FlowRetryBudget
  /// How many attempts have begun, including the first ones.
  var attemptCount = 0
  var retryCount = 0

  var allowsRetry: Bool {
    guard let limit = limit.limit else { return true }
    return retryCount < limit.least || Double(retryCount + 1) <= limit.share * Double(attemptCount)
  }
}
