struct AttemptTimers: Sendable {
  /// The timer of the running attempt, or of the delay before the next one.
  var own: TimerID?
  var ofAll: TimerID?
  /// True if the running attempt has ended and is about to be settled: it can't time out any more.
  var hasEnded = false
}

/// The attempts at a step or an item, with a number and a time limit, and a recovery from the last failure.
///
/// It is opened when the first attempt is claimed.
struct AttemptScope: Sendable {
  enum Stage: Sendable, Hashable {
    /// The next attempt, or the work that follows the last one, can be claimed.
    case offered
    case running(WorkTicket)
    /// The delay before the next attempt is running.
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
  /// The number of the attempt that is offered, runs, or is delayed; counted from 1.
  private(set) var number = 1
  var stage: Stage
  /// The work that follows the last attempt: a recovery, or the end of a step whose total time ran out between two
  /// attempts.
  private(set) var aftermath: (isRecovery: Bool, failure: any Error)?
  var timers = AttemptTimers()
  /// The error of a running attempt that exceeded its own time limit or the total one.
  private(set) var timeoutError: (any Error)?
  /// True if the time limit of all attempts together was exceeded.
  private(set) var isOutOfTime = false

  /// The step between two attempts, or between the last one and what follows it; `nil` if one runs, and for an item or
  /// an undo.
  var waitingStep: Blueprint.StepID? {
    if case .running = stage { return nil }
    return work.kind == .step ? work.step : nil
  }

  /// The number of the last failed attempt while the next one, or its aftermath, is pending; `nil` while either runs.
  var cutOffNumber: Int? {
    if case .running = stage { return nil }
    return aftermath == nil ? number - 1 : number
  }

  var offeredWork: RunWork {
    guard let step = work.step, let aftermath else { return work }
    return RunWork(aftermath.isRecovery ? .recover : .expire, of: step, item: work.item)
  }

  /// Ends the delay, or times out the running attempt; returns the attempt if it has to be cancelled.
  mutating func timeIsOver() -> WorkTicket? {
    if stage == .delayed { stage = .offered }
    guard case .running(let ticket) = stage, !timers.hasEnded, timeoutError == nil else { return nil }
    timeoutError = FlowError.timedOut(plan.timeout ?? .zero)
    return ticket
  }

  /// Times out all attempts together; returns the running one if it has to be cancelled.
  mutating func runOutOfTime() -> WorkTicket? {
    isOutOfTime = true
    guard case .running(let ticket) = stage else {
      // The next attempt never begins.
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

  /// Records the end of the running attempt or of its aftermath; without a delay, no other attempt follows.
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
  /// True for an attempt that ended with its process, as a resume finds out.
  var isProcessEnd: Bool { error?.has(.processEnded) == true }

  /// Returns the settlement that counts: an attempt that timed out has failed, whatever it reports.
  func counted(_ timeout: (any Error)?) -> Settlement {
    guard let timeout, error?.has(.timedOut) != true else { return self }
    return .failed(timeout)
  }
}

/// The number of attempts of a run that follow failures, and its limit.
struct RetryBudget: Sendable {
  var limit: FlowRetryBudget
  /// The number of attempts that have begun, including the first ones.
  var attemptCount = 0
  var retryCount = 0

  var allowsRetry: Bool {
    guard let limit = limit.limit else { return true }
    return retryCount < limit.least || Double(retryCount + 1) <= limit.share * Double(attemptCount)
  }
}
