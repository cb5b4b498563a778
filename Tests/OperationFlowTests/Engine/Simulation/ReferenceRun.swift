@testable import OperationFlow

/// What a run may do, step by step: a plain model that the state machine is compared with after each input.
///
/// The machine keeps a tree of scopes; this keeps a place on each of the paths that were found beforehand.
struct ReferenceRun: Sendable {
  /// How the run ends, and what has decided it.
  struct Ending: Sendable, Hashable {
    enum Kind: Sendable { case succeeded, failed, cancelled }
    enum Cause: Sendable, Hashable { case claim(Int), timeout, misfit, refusal }
    let kind: Kind
    var cause: Cause?
  }

  /// Where the run, or a branch, stands on its path.
  struct Strand: Sendable {
    enum Stage: Sendable, Hashable {
      case notBegun
      /// The work at its place can be claimed.
      case offers
      /// Something at its place goes on: a claim, a retry, items, or branches.
      case waits
      /// The branch of that path was cancelled, which is this one or holds it.
      case cancelled(in: Int)
      case ended
    }
    var stage = Stage.notBegun
    var place = 0
    var items: ReferenceItems?
    /// How many branches have not ended.
    var branchCount = 0
  }

  struct Claim: Sendable {
    let work: RunWork
    let attempt: Int
    let path: Int
    /// Whether a timer runs for it.
    var isTimed: Bool
    var isCancelled = false
    var isTimedOut = false
    var hasSettled = false
  }

  /// An attempt that comes after a failed one.
  private struct Retry: Sendable, Hashable {
    let work: RunWork
    let attempt: Int
    let path: Int
  }

  let paths: ReferencePaths
  private(set) var strands: [Strand]
  /// All that was ever claimed.
  private(set) var claims: [Claim] = []
  private(set) var runningCount = 0
  /// Attempts that can be claimed.
  private var retries: [Retry] = []
  /// Attempts that come after a delay, by the claim that failed before them.
  private var delays: [Int: Retry] = [:]
  private(set) var hasBegun = false
  private(set) var hasEnded = false
  private(set) var stepCount = 0
  private(set) var ending: Ending?
  /// The steps with others in them that have begun and not ended, in the order in which they began.
  private(set) var openSteps: [Int] = []
  var isPaused = false

  init(_ paths: ReferencePaths) {
    self.paths = paths
    strands = Array(repeating: Strand(), count: paths.paths.count)
  }

  var claimableCount: Int {
    guard hasBegun, !hasEnded else { return 0 }
    if ending != nil { return runningCount == 0 ? 1 : 0 }
    var count = isPaused ? 0 : retries.count
    for path in strands.indices {
      switch strands[path].stage {
      case .offers: count += isPaused && Self.isUsersWork(paths.paths[path].works[strands[path].place]) ? 0 : 1
      case .waits: if let items = strands[path].items, !isPaused { count += items.claimableCount }
      case .notBegun, .cancelled, .ended: break
      }
    }
    return count
  }

  /// Whether work is, or calls, what a user has written, so that a pause holds it back.
  private static func isUsersWork(_ work: RunWork) -> Bool {
    switch work {
    case .step, .item, .plan, .pull: true
    case .choose, .enter, .leave, .collect, .finish: false
    }
  }

  /// Whether a pull finds an item.
  func hasNextItem(_ step: Int) -> Bool {
    paths[step].flatMap { strands[$0.path].items }?.hasNext ?? false
  }

  /// Whether the progress may not go back here.
  var isSteady: Bool { ending == nil || ending?.kind == .succeeded }

  // MARK: Inputs

  mutating func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    if ending == nil { arrive(0) }
  }

  mutating func refuse() {
    if !hasBegun { ending = Ending(kind: .failed, cause: .refusal) }
  }

  mutating func cancel() -> ReferenceEffects { decide(.cancelled, nil) }

  /// Takes what was claimed; false if that may not be claimed now.
  mutating func claim(_ work: RunWork, attempt: Int) -> Bool {
    guard let path = claimPath(work, attempt) else { return false }
    claims.append(Claim(work: work, attempt: attempt, path: path, isTimed: plan(of: work)?.timeout != nil))
    runningCount += 1
    return true
  }

  /// The path that work is claimed on; `nil` if it may not be claimed.
  private mutating func claimPath(_ work: RunWork, _ attempt: Int) -> Int? {
    guard hasBegun, !hasEnded else { return nil }
    if ending != nil { return runningCount == 0 && work == .finish ? 0 : nil }
    guard let step = work.stepID, let path = paths[step]?.path, !isPaused || !Self.isUsersWork(work) else { return nil }
    if attempt > 1 {
      guard let index = retries.firstIndex(of: Retry(work: work, attempt: attempt, path: path)) else { return nil }
      retries.remove(at: index)
      return path
    }
    switch work {
    case .item(_, let index): return strands[path].items?.start(index) == true ? path : nil
    case .pull: return strands[path].items?.pull() == true ? path : nil
    case .step, .choose, .enter, .plan: stepCount += 1
    case .leave: openSteps.removeAll { $0 == step }
    case .collect, .finish: break
    }
    let strand = strands[path]
    guard strand.stage == .offers, paths.paths[path].works[strand.place] == work else { return nil }
    strands[path].stage = .waits
    return path
  }

  /// The plan that the attempts of a piece of work have; `nil` for none.
  func plan(of work: RunWork) -> SimulatedFlow.Plan? {
    switch work {
    case .step(let step), .item(let step, _): paths[step]?.plan
    default: nil
    }
  }

  /// The time of a timer is over that was started for a claim, or after it.
  mutating func fire(_ index: Int) -> ReferenceEffects {
    if let retry = delays.removeValue(forKey: index) {
      retries.append(retry)
      return ReferenceEffects()
    }
    claims[index].isTimed = false
    claims[index].isTimedOut = true
    claims[index].isCancelled = true
    return ReferenceEffects(cancelled: [index])
  }

  /// Cancels the branch that has a path.
  mutating func cancelBranch(_ path: Int) -> ReferenceEffects {
    guard ending == nil, strands[path].stage == .offers || strands[path].stage == .waits else {
      return ReferenceEffects()
    }
    let isWithin = strands.indices.map { paths.isWithin($0, path) }
    let effects = stop { isWithin[$0] }
    for inner in strands.indices where isWithin[inner] {
      strands[inner].stage = .cancelled(in: path)
      strands[inner].items = nil
    }
    return effects + closeIfSettled(path)
  }

  // MARK: Settling

  /// Whether the settled claim is timed out, and whether it is not tried again.
  func verdict(_ index: Int, _ end: SimulatedFlow.End) -> (isTimedOut: Bool, isFinal: Bool) {
    let claim = claims[index]
    guard ending == nil, strands[claim.path].stage == .waits else { return (false, true) }
    let hasFailed = claim.isTimedOut || end == .failure
    return (claim.isTimedOut, !hasFailed || claim.attempt >= plan(of: claim.work)?.count ?? 1)
  }

  /// Takes how a claim has settled; no end is a result that does not fit its work.
  mutating func settle(_ index: Int, _ end: SimulatedFlow.End?) -> ReferenceEffects {
    let claim = claims[index]
    claims[index].hasSettled = true
    runningCount -= 1
    if claim.work == .finish { hasEnded = true }
    if ending != nil { return ReferenceEffects() }
    if case .cancelled(let path) = strands[claim.path].stage { return closeIfSettled(path) }
    var effects = ReferenceEffects()
    if claim.isTimed { effects.stopped = [index] }
    guard let end else { return effects + decide(.failed, .misfit) }
    guard let plan = plan(of: claim.work), !verdict(index, end).isFinal else {
      return effects + settled(claim, claim.isTimedOut ? .failure : end, index)
    }
    let retry = Retry(work: claim.work, attempt: claim.attempt + 1, path: claim.path)
    if plan.delay > 0 {
      delays[index] = retry
      effects.delay = plan.delay
    } else {
      retries.append(retry)
    }
    return effects
  }

  private mutating func settled(_ claim: Claim, _ end: SimulatedFlow.End, _ index: Int) -> ReferenceEffects {
    let cause = claim.isTimedOut ? Ending.Cause.timeout : .claim(index)
    switch claim.work {
    case .item(let step, _):
      guard strands[claim.path].items?.ended(end) == true else {
        return ReferenceEffects(stoppedGroup: step) + decide(end, cause)
      }
      goOnIfItemsAreDone(claim.path)
    case _ where end != .success: return decide(end, cause)
    case .pull:
      strands[claim.path].items?.pulled()
      goOnIfItemsAreDone(claim.path)
    case .plan(let step):
      strands[claim.path].items = paths[step]?.group.map(ReferenceItems.init)
      goOnIfItemsAreDone(claim.path)
    case .enter(let step):
      openSteps.append(step)
      guard let branches = paths[step]?.branches, !branches.isEmpty else {
        goOn(claim.path)
        break
      }
      strands[claim.path].branchCount = branches.count
      for branch in branches { arrive(branch) }
    default: goOn(claim.path)
    }
    return ReferenceEffects()
  }

  private mutating func goOnIfItemsAreDone(_ path: Int) {
    guard strands[path].items?.areDone == true else { return }
    strands[path].items = nil
    goOn(path)
  }

  private mutating func goOn(_ path: Int) {
    strands[path].place += 1
    arrive(path)
  }

  private mutating func arrive(_ path: Int) {
    if strands[path].place < paths.paths[path].works.count { strands[path].stage = .offers } else { end(path) }
  }

  /// A path is at its end: the run has succeeded, or the branch waits for the others.
  private mutating func end(_ path: Int) {
    strands[path].stage = .ended
    guard let parent = paths.paths[path].parent else { return ending = Ending(kind: .succeeded) }
    strands[parent].branchCount -= 1
    if strands[parent].branchCount == 0 { goOn(parent) }
  }

  // MARK: Stopping

  private mutating func decide(_ end: SimulatedFlow.End, _ cause: Ending.Cause) -> ReferenceEffects {
    end == .failure ? decide(.failed, cause) : decide(.cancelled, nil)
  }

  private mutating func decide(_ kind: Ending.Kind, _ cause: Ending.Cause?) -> ReferenceEffects {
    guard ending == nil else { return ReferenceEffects() }
    ending = Ending(kind: kind, cause: cause)
    return stop { _ in true }
  }

  /// Cancels what is claimed on some of the paths, and forgets what would come.
  private mutating func stop(_ isStopped: (Int) -> Bool) -> ReferenceEffects {
    var effects = ReferenceEffects()
    for index in claims.indices where !claims[index].hasSettled && isStopped(claims[index].path) {
      if !claims[index].isCancelled { effects.cancelled.append(index) }
      if claims[index].isTimed { effects.stopped.append(index) }
      claims[index].isCancelled = true
      claims[index].isTimed = false
    }
    for (index, retry) in delays where isStopped(retry.path) {
      delays[index] = nil
      effects.stopped.append(index)
    }
    retries.removeAll { isStopped($0.path) }
    return effects
  }

  /// A cancelled branch ends once all that was claimed in it has settled.
  private mutating func closeIfSettled(_ path: Int) -> ReferenceEffects {
    let cancelled = Strand.Stage.cancelled(in: path)
    guard !claims.contains(where: { !$0.hasSettled && strands[$0.path].stage == cancelled }) else {
      return ReferenceEffects()
    }
    let closed = openSteps.filter { step in paths[step].map { strands[$0.path].stage == cancelled } ?? false }
    openSteps.removeAll { closed.contains($0) }
    end(path)
    return ReferenceEffects(closed: closed)
  }
}
