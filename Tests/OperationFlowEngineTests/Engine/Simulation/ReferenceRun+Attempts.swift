@testable import OperationFlow

// Attempts of the model: what follows a failure, and what their timers do.
extension ReferenceRun {
  /// An attempt that comes after a failed one.
  struct Retry: Sendable, Hashable {
    let work: RunWork
    let attempt: Int
    let path: Int
  }

  /// The attempts of a step or item that have a time together.
  struct Together: Sendable {
    let first: Int
    let path: Int
    var isTimed = true
    var isOut = false
  }

  // MARK: Timers

  /// The timers that are to be started for the last claim.
  var startsOfLastClaim: [ReferenceEffects.Start] {
    claims.last?.needsPermit == false ? starts(of: claims.count - 1) : []
  }

  /// The timers that are to be started when a claim begins.
  func starts(of index: Int) -> [ReferenceEffects.Start] {
    let claim = claims[index]
    guard claim.work.isAttempt || claim.work.isUndo, let plan = plan(of: claim.work) else { return [] }
    let attempt = plan.timeout.map { [ReferenceEffects.Start(timer: .attempt(index), time: $0)] } ?? []
    guard let total = plan.total, togethers[claim.work]?.first == index else { return attempt }
    return attempt + [ReferenceEffects.Start(timer: .allAttempts(first: index), time: total)]
  }

  /// The time of a claim begins, and that of all attempts if it is the first.
  mutating func time(_ index: Int, _ plan: SimulatedFlow.Plan) {
    let claim = claims[index]
    claims[index].isTimed = plan.timeout != nil
    if plan.total != nil, togethers[claim.work] == nil {
      togethers[claim.work] = Together(first: index, path: claim.path)
    }
  }

  /// The time of a timer is over.
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

  /// The time of all attempts at a piece of work is over.
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

  // MARK: What follows

  /// What follows a settled claim.
  enum Follow { case nothing, retry(delay: Int), recovery }

  /// Whether the settled claim is timed out, and whether nothing follows it.
  func verdict(_ index: Int, _ end: SimulatedFlow.End) -> (isTimedOut: Bool, isFinal: Bool) {
    let claim = claims[index]
    guard !claim.isCutOff, claim.work.isUndo || strands[claim.path].stage == .waits else { return (false, true) }
    if case .nothing = follow(index, end).follow { return (claim.isTimedOut, true) }
    return (claim.isTimedOut, false)
  }

  /// What follows a settled claim, and whether the budget denies a retry.
  func follow(_ index: Int, _ end: SimulatedFlow.End) -> (follow: Follow, isDenied: Bool) {
    let claim = claims[index]
    guard let plan = plan(of: claim.work), claim.isTimedOut || end == .failure else { return (.nothing, false) }
    if claim.work.kind == .recover { return (.nothing, false) }
    let last: (Follow, Bool) = (plan.recovery == nil ? .nothing : .recovery, false)
    guard claim.work.isAttempt || claim.work.isUndo, claim.attempt < plan.count, togethers[claim.work]?.isOut != true
    else { return last }
    // What a failure says counts; an attempt that only timed out says nothing.
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
  var handing: RunWork { RunWork(.handOn, of: step ?? 0, item: item) }
  var recovery: RunWork { RunWork(.recover, of: step ?? 0, item: item) }
  var expired: RunWork { RunWork(.expire, of: step ?? 0, item: item) }

  var isUndo: Bool { kind == .undo }
  var isAftermath: Bool { kind == .recover || kind == .expire || kind == .undo }
}
