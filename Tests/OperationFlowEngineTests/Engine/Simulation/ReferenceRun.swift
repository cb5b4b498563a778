@testable import OperationFlow

/// A plain model of a run, which is compared with the state machine after each input.
///
/// The machine has a tree of scopes. The model has a place on each path, and finds the paths before the run.
struct ReferenceRun: Sendable {
  /// The end of the run, and its cause.
  struct Ending: Sendable, Hashable {
    enum Kind: Sendable { case succeeded, failed, cancelled }
    enum Cause: Sendable, Hashable { case claim(Int), timeout, unexpectedResult, refusal, deadline }
    let kind: Kind
    var cause: Cause?
  }

  /// The position of the run, or of a branch, on its path.
  struct Strand: Sendable {
    enum Stage: Sendable, Hashable {
      case notBegun
      /// The work at its place can be claimed.
      case offers
      /// The work at its place is under way: a claim, a retry, items, or branches.
      case waits
      /// The end of the run was decided while the path was active.
      case cutOff
      case ended
    }
    var stage = Stage.notBegun
    var place = 0
    var items: ReferenceItems?
    /// The last item that failed.
    var lastFailure: (end: SimulatedFlow.End, cause: Ending.Cause)?
    /// The number of branches that have not ended.
    var branchCount = 0
  }

  struct Claim: Sendable {
    let work: RunWork
    let attempt: Int
    let path: Int
    /// True while a timer limits the claim's attempt.
    var isTimed: Bool
    /// True while a timer runs until the claim is abandoned.
    var isAwaited = false
    var isCancelled = false
    /// True if the claim's result doesn't count any more.
    var isCutOff = false
    var isTimedOut = false
    /// True if the claim needs a permit before its work begins.
    var needsPermit = false
    /// True if the claim delivers the result of an item that has ended.
    var isHanding = false
    var hasSettled = false
  }

  let paths: ReferencePaths
  var strands: [Strand]
  /// All claims of the run, including those that have settled.
  var claims: [Claim] = []
  var runningCount = 0
  var parked: [Int: Bool] = [:]
  /// Retries that can be claimed.
  var retries: [Retry] = []
  /// Retries that wait for a delay, by the claim that failed before.
  var delays: [Int: Retry] = [:]
  var togethers: [RunWork: Together] = [:]
  var retryCount = 0
  var attemptCount = 0
  var isLimited = false
  private(set) var hasBegun = false
  private(set) var hasEnded = false
  private(set) var stepCount = 0
  private(set) var ending: Ending?
  /// The groups and the steps with inner steps that have started and not ended, in the order of their starts.
  var openHolders: [Int] = []
  /// The steps that were cut off and have not ended.
  var cutOffSteps: [CutOffStep] = []
  /// The cases that have ended with this input.
  var combined: [Int] = []
  /// The work after the end of the run is decided.
  var closing = ReferenceClosing()
  var isPaused = false

  init(_ paths: ReferencePaths) {
    self.paths = paths
    strands = Array(repeating: Strand(), count: paths.paths.count)
  }

  var claimableCount: Int {
    guard hasBegun, !hasEnded else { return 0 }
    if ending != nil, closing.part == nil { return runningCount == 0 ? 1 : 0 }
    let isPaused = holdsUserWork
    var count = isPaused ? 0 : retries.count + resumedCount
    for path in strands.indices {
      switch strands[path].stage {
      case .offers: count += isPaused && Self.isUsersWork(paths.paths[path].works[strands[path].place]) ? 0 : 1
      case .waits: if let items = strands[path].items, !isPaused { count += items.claimableCount }
      case .notBegun, .cutOff, .ended: break
      }
    }
    return count
  }

  /// Returns true if work is, or calls, a user's code, which a pause delays.
  private static func isUsersWork(_ work: RunWork) -> Bool {
    switch work.kind {
    case .check, .step, .item, .deliver, .recover, .expire, .undo, .plan, .pull: true
    case .choose, .enter, .leave, .collect, .finish: false
    }
  }

  /// Returns true if a pull finds an item.
  func hasNextItem(_ step: Int) -> Bool {
    paths[step].flatMap { strands[$0.path].items }?.hasNext ?? false
  }

  /// True if the progress may not decrease.
  var isSteady: Bool { ending == nil || ending?.kind == .succeeded }

  // MARK: Inputs

  mutating func begin() -> ReferenceEffects {
    guard !hasBegun else { return ReferenceEffects() }
    hasBegun = true
    guard ending == nil else { return ReferenceEffects() }
    isLimited = paths.flow.deadline != nil
    let started = paths.flow.deadline.map { [ReferenceEffects.Start(timer: .deadline, time: $0)] } ?? []
    closing.waiting = paths.always.reversed()
    arrive(0)
    // A run without work succeeds immediately.
    return ReferenceEffects(started: started) + stopDeadline()
  }

  mutating func refuse() {
    if !hasBegun { ending = Ending(kind: .failed, cause: .refusal) }
  }

  mutating func cancel() -> ReferenceEffects { ending == nil ? decide(.cancelled, nil) : ReferenceEffects() }

  /// Claims work; returns false if the work may not be claimed now.
  mutating func claim(_ work: RunWork, attempt: Int) -> Bool {
    guard let path = claimPath(work, attempt) else { return false }
    let plan = work.isAttempt || work.isUndo ? plan(of: work) : nil
    claims.append(Claim(work: work, attempt: attempt, path: path, isTimed: false))
    claims[claims.count - 1].needsPermit = work.isAttempt && work.step.flatMap { paths[$0] }?.isLimited == true
    if let plan, !claims[claims.count - 1].needsPermit { time(claims.count - 1, plan) }
    runningCount += 1
    if work.isAttempt { attemptCount += 1 }
    return true
  }

  /// Returns the path of the work to claim; `nil` if the work may not be claimed.
  private mutating func claimPath(_ work: RunWork, _ attempt: Int) -> Int? {
    guard hasBegun, !hasEnded else { return nil }
    if ending != nil, closing.part == nil { return runningCount == 0 && work.kind == .finish ? 0 : nil }
    guard let step = work.step, let path = paths[step]?.path, !holdsUserWork || !Self.isUsersWork(work) else {
      return nil
    }
    if attempt > 1 || !work.isAttempt && work.isAftermath {
      guard let index = retries.firstIndex(of: Retry(work: work, attempt: attempt, path: path)) else { return nil }
      retries.remove(at: index)
      return path
    }
    switch work.kind {
    case .item: return strands[path].items?.start(work.item ?? 0) == true ? path : nil
    case .pull: return strands[path].items?.pull() == true ? path : nil
    case .step, .choose, .enter, .plan: stepCount += 1
    case .leave, .collect: openHolders.removeAll { $0 == step }
    case .check, .deliver, .recover, .expire, .undo, .finish: break
    }
    let strand = strands[path]
    guard strand.stage == .offers, paths.paths[path].works[strand.place] == work else { return nil }
    strands[path].stage = .waits
    return path
  }

  /// Returns the plan of the attempts at a piece of work; `nil` if there is none.
  func plan(of work: RunWork) -> SimulatedFlow.Plan? {
    let known = work.step.flatMap { paths[$0] }
    return switch work.kind {
    case .step, .item, .recover, .expire: known?.plan
    case .undo: known?.undo?.plan
    default: nil
    }
  }

  // MARK: Settling

  /// Settles a claim; `end` is `nil` if the result does not fit the claim's work.
  mutating func settle(_ index: Int, _ end: SimulatedFlow.End?) -> ReferenceEffects {
    let effects = settleClaim(index, end)
    return effects + takeCombined() + stopDeadline()
  }

  /// Stops the deadline of a run that has ended.
  private mutating func stopDeadline() -> ReferenceEffects {
    guard ending != nil, isLimited else { return ReferenceEffects() }
    isLimited = false
    return ReferenceEffects(stopped: [.deadline])
  }

  private mutating func settleClaim(_ index: Int, _ end: SimulatedFlow.End?) -> ReferenceEffects {
    let claim = claims[index]
    claims[index].hasSettled = true
    claims[index].isAwaited = false
    runningCount -= 1
    if claim.work.kind == .finish { hasEnded = true }
    var effects = ReferenceEffects(stopped: claim.isAwaited ? [.patience(index)] : [])
    if claim.isHanding { return effects + handingSettled(claim, end, index) }
    if claim.isCutOff {
      if let end { addToCleanup(claim.work, isSuccess: end == .success, isCutOff: true) }
      goOnIfSettled()
      return effects + closeCutOff()
    }
    if claim.isTimed {
      claims[index].isTimed = false
      effects.stopped.append(.attempt(index))
    }
    guard let end else {
      guard claim.work.isUndo else { return effects + decide(.failed, .unexpectedResult) }
      goOnIfSettled()
      return effects
    }
    let (follow, isDenied) = follow(index, end)
    if isDenied, let step = claim.work.step { effects.denied = [step] }
    switch follow {
    case .nothing:
      effects = effects + stopTogether(claim.work.attemptedWork)
      addToCleanup(claim.work, isSuccess: end == .success && !claim.isTimedOut, isCutOff: false)
      return effects + settled(claim, claim.isTimedOut ? .failure : end, index)
    case .recovery:
      effects = effects + stopTogether(claim.work.attemptedWork)
      retries.append(Retry(work: claim.work.recovery, attempt: claim.attempt, path: claim.path))
    case .retry(let delay):
      if !claim.work.isUndo { retryCount += 1 }
      let retry = Retry(work: claim.work, attempt: claim.attempt + 1, path: claim.path)
      guard delay > 0 else {
        retries.append(retry)
        break
      }
      delays[index] = retry
      effects.started.append(ReferenceEffects.Start(timer: .delay(after: index), time: delay))
    }
    return effects
  }

  private mutating func settled(_ claim: Claim, _ end: SimulatedFlow.End, _ index: Int) -> ReferenceEffects {
    let cause = claim.isTimedOut ? Ending.Cause.timeout : .claim(index)
    let step = claim.work.step ?? 0
    switch claim.work.attemptedWork.kind {
    case .item:
      if end != .success { strands[claim.path].lastFailure = (end, cause) }
      guard strands[claim.path].items?.ended(end) == true else {
        return ReferenceEffects(stoppedGroup: step) + decide(end, cause)
      }
      goOnIfItemsAreDone(claim.path)
    case .undo: goOnIfSettled()
    case _ where end != .success: return decide(end, cause)
    case .pull:
      guard strands[claim.path].items?.pulled() == true else {
        let last = strands[claim.path].lastFailure ?? (.failure, cause)
        return ReferenceEffects(stoppedGroup: step) + decide(last.end, last.cause)
      }
      goOnIfItemsAreDone(claim.path)
    case .plan:
      openHolders.append(step)
      strands[claim.path].items = paths[step]?.group.map(ReferenceItems.init)
      goOnIfItemsAreDone(claim.path)
    case .enter:
      openHolders.append(step)
      closing.waiting += (paths[step]?.always ?? []).reversed()
      guard let branches = paths[step]?.branches, !branches.isEmpty else {
        continueStrand(claim.path)
        break
      }
      strands[claim.path].branchCount = branches.count
      for branch in branches { arrive(branch) }
    case .choose:
      if paths[step]?.takesBranch == true { openHolders.append(step) }
      continueStrand(claim.path)
    default: continueStrand(claim.path)
    }
    return ReferenceEffects()
  }

  mutating func goOnIfItemsAreDone(_ path: Int) {
    guard strands[path].items?.areDone == true else { return }
    strands[path].items = nil
    continueStrand(path)
  }

  private mutating func continueStrand(_ path: Int) {
    strands[path].place += 1
    combineCases(on: path)
    arrive(path)
  }

  private mutating func arrive(_ path: Int) {
    if strands[path].place < paths.paths[path].works.count { strands[path].stage = .offers } else { end(path) }
  }

  /// Ends a path: the run has succeeded, or the branch waits for the others.
  private mutating func end(_ path: Int) {
    strands[path].stage = .ended
    guard let parent = paths.paths[path].parent else {
      if ending == nil { ending = Ending(kind: .succeeded) }
      return goOnIfSettled()
    }
    strands[parent].branchCount -= 1
    if strands[parent].branchCount == 0 { continueStrand(parent) }
  }

  // MARK: Stopping

  mutating func decide(_ end: SimulatedFlow.End, _ cause: Ending.Cause) -> ReferenceEffects {
    end == .failure ? decide(.failed, cause) : decide(.cancelled, nil)
  }

  mutating func decide(_ kind: Ending.Kind, _ cause: Ending.Cause?) -> ReferenceEffects {
    guard ending == nil || closing.part != nil else { return ReferenceEffects() }
    cutOffOpenSteps()
    if ending == nil || ending?.kind == .succeeded { ending = Ending(kind: kind, cause: cause) }
    let unfinishedItems = itemsBetweenAttempts
    let stopped = stop()
    for item in unfinishedItems { handOnCutOff(item) }
    let effects = stopped + closeCutOff()
    for path in strands.indices {
      switch strands[path].stage {
      case .offers, .waits: (strands[path].stage, strands[path].items) = (.cutOff, nil)
      case .notBegun, .cutOff, .ended: break
      }
    }
    goOnIfSettled()
    return effects
  }

  /// Starts the next undo or path once the end is decided and all claims have settled.
  mutating func goOnIfSettled() {
    guard ending != nil, runningCount == 0, hasBegun else { return }
    switch closing.next(hasSucceeded: ending?.kind == .succeeded) {
    case .undo(let work):
      retries.append(Retry(work: work, attempt: 1, path: paths[work.step ?? 0]?.path ?? 0))
    case .always(let path): arrive(path)
    case nil: break
    }
  }

  /// Cancels all claims, and discards all retries and timers.
  private mutating func stop() -> ReferenceEffects {
    var effects = ReferenceEffects()
    for index in claims.indices where !claims[index].hasSettled {
      if !claims[index].isCancelled { effects.cancelled.append(index) }
      if claims[index].isTimed { effects.stopped.append(.attempt(index)) }
      claims[index].isCancelled = true
      claims[index].isTimed = false
      claims[index].isCutOff = true
    }
    for retry in retries + delays.values { addToCleanup(retry.work, isSuccess: false, isCutOff: true) }
    effects.stopped += delays.keys.map { .delay(after: $0) }
    delays = [:]
    for (work, together) in togethers where together.isTimed {
      togethers[work]?.isTimed = false
      effects.stopped.append(.allAttempts(first: together.first))
    }
    if isLimited {
      isLimited = false
      effects.stopped.append(.deadline)
    }
    retries = []
    return effects
  }
}
