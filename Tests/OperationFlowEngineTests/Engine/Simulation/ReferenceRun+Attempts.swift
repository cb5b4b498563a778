@testable import OperationFlow

// The model's attempts, their timers, and the work that follows a failure.
extension ReferenceRun {
  /// Work besides that of the paths: a further attempt, a recovery, an expired total time, or an undo.
  struct Retry: Sendable, Hashable {
    let work: RunWork
    let attempt: Int
    let path: Int
  }

  /// The attempts of a step or item that share a total time.
  struct Together: Sendable {
    let first: Int
    let path: Int
    var isTimed = true
    var isOut = false
  }

  // MARK: Timers

  /// The timers to start with the last claim.
  var startsOfLastClaim: [ReferenceEffects.Start] {
    claims.last?.needsPermit == false ? starts(of: claims.count - 1) : []
  }

  /// Returns the timers to start when the work of a claim begins.
  func starts(of index: Int) -> [ReferenceEffects.Start] {
    let claim = claims[index]
    guard claim.work.isAttempt || claim.work.isUndo, let plan = plan(of: claim.work) else { return [] }
    let attempt = plan.timeout.map { [ReferenceEffects.Start(timer: .attempt(index), time: $0)] } ?? []
    guard let total = plan.total, togethers[claim.work]?.first == index else { return attempt }
    return attempt + [ReferenceEffects.Start(timer: .allAttempts(first: index), time: total)]
  }

  /// Starts the time of a claim, and the total time if the claim is the first attempt.
  mutating func time(_ index: Int, _ plan: SimulatedFlow.Plan) {
    let claim = claims[index]
    claims[index].isTimed = plan.timeout != nil
    if plan.total != nil, togethers[claim.work] == nil {
      togethers[claim.work] = Together(first: index, path: claim.path)
    }
  }

  /// Applies the end of a timer, and returns the expected effects.
  mutating func fire(_ timer: ReferenceEffects.Timer) -> ReferenceEffects {
    switch timer {
    case .delay(let index):
      if let retry = delays.removeValue(forKey: index) { retries.append(retry) }
      return ReferenceEffects()
    case .attempt(let index):
      claims[index].isTimed = false
      return timeOut(index)
    case .patience(let index):
      claims[index].isAwaited = false
      return ReferenceEffects(abandoned: [index])
    case .allAttempts(let first): return runOutOfTime(claims[first].work)
    case .deadline:
      isLimited = false
      return decide(.failed, .deadline)
    }
  }

  private mutating func timeOut(_ index: Int) -> ReferenceEffects {
    guard !claims[index].isTimedOut else { return ReferenceEffects() }
    claims[index].isTimedOut = true
    claims[index].isCancelled = true
    guard let patience = plan(of: claims[index].work)?.patience else { return ReferenceEffects(cancelled: [index]) }
    claims[index].isAwaited = true
    return ReferenceEffects(
      cancelled: [index], started: [ReferenceEffects.Start(timer: .patience(index), time: patience)])
  }

  /// Applies the end of the total time of all attempts at a piece of work.
  private mutating func runOutOfTime(_ work: RunWork) -> ReferenceEffects {
    togethers[work]?.isTimed = false
    togethers[work]?.isOut = true
    if let index = claims.indices.first(where: {
      !claims[$0].hasSettled && !claims[$0].isHanding && claims[$0].work == work
    }) {
      let wasTimed = claims[index].isTimed && !claims[index].isTimedOut
      if wasTimed { claims[index].isTimed = false }
      return ReferenceEffects(stopped: wasTimed ? [.attempt(index)] : []) + timeOut(index)
    }
    var effects = ReferenceEffects()
    let waiting: Retry?
    if let (index, retry) = delays.first(where: { $0.value.work == work }) {
      delays[index] = nil
      effects.stopped = [.delay(after: index)]
      waiting = retry
    } else {
      waiting = retries.first { $0.work == work }
      retries.removeAll { $0.work == work }
    }
    if let waiting { retries.append(Retry(work: work.expired, attempt: waiting.attempt - 1, path: waiting.path)) }
    return effects
  }

  // MARK: Following work

  /// The work that follows a settled claim.
  enum Follow { case nothing, retry(delay: Int), recovery }

  /// Returns whether the settled claim has timed out, and whether nothing follows the claim.
  func verdict(_ index: Int, _ end: SimulatedFlow.End) -> (isTimedOut: Bool, isFinal: Bool) {
    let claim = claims[index]
    guard !claim.isCutOff, claim.work.isUndo || strands[claim.path].stage == .waits else { return (false, true) }
    if case .nothing = follow(index, end).follow { return (claim.isTimedOut, true) }
    return (claim.isTimedOut, false)
  }

  /// Returns the work that follows a settled claim, and whether the budget denies a retry.
  func follow(_ index: Int, _ end: SimulatedFlow.End) -> (follow: Follow, isDenied: Bool) {
    let claim = claims[index]
    guard let plan = plan(of: claim.work), claim.isTimedOut || end == .failure else { return (.nothing, false) }
    if claim.work.kind == .recover { return (.nothing, false) }
    let last: (Follow, Bool) = (plan.recovery == nil ? .nothing : .recovery, false)
    guard claim.work.isAttempt || claim.work.isUndo, claim.attempt < plan.count, togethers[claim.work]?.isOut != true
    else { return last }
    // Only an attempt's own failure can ask for a delay or forbid a retry; a mere timeout can't.
    let says = end == .failure
    if says, plan.lastAttempt == claim.attempt { return last }
    if !claim.work.isUndo, let budget = paths.flow.budget, retryCount >= budget,
      8 * (retryCount + 1) > paths.flow.budgetEighths * attemptCount
    {
      return (last.0, true)
    }
    return (.retry(delay: says ? plan.askedDelay ?? plan.delay : plan.delay), false)
  }

  mutating func stopTogether(_ work: RunWork) -> ReferenceEffects {
    guard let together = togethers[work], together.isTimed else { return ReferenceEffects() }
    togethers[work]?.isTimed = false
    return ReferenceEffects(stopped: [.allAttempts(first: together.first)])
  }
}

extension RunWork {
  var handing: RunWork { RunWork(.deliver, of: step ?? 0, item: item) }
  var recovery: RunWork { RunWork(.recover, of: step ?? 0, item: item) }
  var expired: RunWork { RunWork(.expire, of: step ?? 0, item: item) }

  var isUndo: Bool { kind == .undo }
  var isAftermath: Bool { kind == .recover || kind == .expire || kind == .undo }
}
