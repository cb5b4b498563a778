/// A plain value that decides what a run does next, without locks, threads, clocks or users' code.
///
/// The run's position is a tree of scopes: blocks, fans and attempts. Lanes claim work and settle it, each claim
/// exactly once, in any order. Time enters as timers, which the engine waits for and fires. The run ends when `.finish`
/// has been claimed and settled, once, after all other work.
struct RunStateMachine: Sendable {
  /// A piece of work that was claimed and has not settled.
  struct Claimed: Sendable {
    let work: RunWork
    /// The scope that the work's end belongs to; `nil` if that was cut off.
    var scope: ScopeID?
    var isCancelled = false
    /// The timer after which work that timed out is abandoned.
    var abandoning: TimerID?
  }

  /// The consequences of a piece of work's end.
  struct Decision: Sendable {
    /// The kind of work that follows: another attempt, a recovery, or none.
    var follow = FlowEvent.Source.Failure.own
    /// The claim that delivers the result of an item that has ended for good; `nil` if its group delivers none.
    var handing: WorkTicket?
    var effects: [RunEffect] = []
  }

  private enum Phase: Sendable {
    case notBegun, running
    /// The end is decided, and the claimed work has to settle first.
    case draining
    /// The cleanup runs: undos, and steps that always run.
    case closing
    /// Everything has settled; `.finish` is offered, and then claimed.
    case finishing(isClaimed: Bool)
    case ended
  }

  let shared: SharedBlueprint
  var blueprint: Blueprint { shared.value }
  private var phase = Phase.notBegun
  var claims = Slab<Claimed>()
  var tree: RunTree
  var timers = Slab<TimerUse>()
  var parking = Parking()
  var budget: RetryBudget
  /// The tickets of work that was abandoned after it timed out.
  var abandoned: Set<WorkTicket> = []
  var closing = RunCleanup()
  /// The steps that were open when the run, or a part of its cleanup, was cut off.
  var closingSteps = ClosingSteps()
  /// The number of steps that have begun; a group counts as one.
  private(set) var stepCount = 0
  /// The end of the run, decided by the first failure, a cancellation, or the last step.
  private(set) var ending: Settlement?
  var isPaused = false
  /// True if claimed work may have to wait for a journal before it begins.
  var holdsWorkBack = false

  init(_ blueprint: SharedBlueprint, retryBudget: FlowRetryBudget) {
    shared = blueprint
    budget = RetryBudget(limit: retryBudget)
    tree = RunTree(shared)
  }

  // MARK: State

  /// True if the run's end is decided, so that nothing more may start but undos and steps that always run.
  var isStopping: Bool { ending != nil }

  var hasEnded: Bool { if case .ended = phase { true } else { false } }

  /// True if a pause delays users' work; it never delays the cleanup.
  var holdsUserWork: Bool { isPaused && closing.part == nil }

  /// True if nothing but the run's end is left.
  var isFinishing: Bool { if case .finishing = phase { true } else { false } }

  /// True if the cleanup runs: undos, and steps that always run.
  var isClosing: Bool { if case .closing = phase { true } else { false } }

  var runningCount: Int { claims.count }

  func work(of ticket: WorkTicket) -> RunWork? { claims[ticket]?.work }

  /// Returns true if the work was asked to stop; for work that has settled, if the run was, or the work was abandoned.
  ///
  /// It is inlined, because the compiler would copy the whole machine for the call.
  @inline(__always)
  func isStopping(_ ticket: WorkTicket) -> Bool {
    claims[ticket]?.isCancelled ?? (isStopping || abandoned.contains(ticket))
  }

  var claimableCount: Int {
    if case .finishing(isClaimed: false) = phase { return 1 }
    return tree.bookkeepingCount + (holdsUserWork ? 0 : tree.usersCount + parking.resumed.count)
  }

  // MARK: Inputs

  /// Begins the run, with a time limit for all of it.
  @discardableResult
  mutating func begin(deadline: Duration? = nil) -> [RunEffect] {
    guard case .notBegun = phase else { return [] }
    guard ending == nil else {
      drain()
      return []
    }
    phase = .running
    var effects: [RunEffect] = []
    if let deadline { _ = start(.deadline(deadline), after: deadline, &effects) }
    apply(tree.begin(), &effects)
    return effects
  }

  /// Decides, before the run begins, that it ends without running anything.
  mutating func refuse(_ ending: Settlement) { if case .notBegun = phase { self.ending = ending } }

  mutating func cancel() -> [RunEffect] { ending == nil ? end(.cancelled) : [] }

  /// Claims the next piece of work, resumed work before new work; `nil` if there is none now.
  mutating func claim() -> RunOffer? {
    if parking.resumed.count > 0, !holdsUserWork { return claimResumed() }
    if let scope = tree.nextOffering(isPaused: holdsUserWork) { return claim(from: scope) }
    guard case .finishing(isClaimed: false) = phase else { return nil }
    phase = .finishing(isClaimed: true)
    return hand(.finish, to: nil)
  }

  /// Settles a piece of work; an end of work that isn't claimed, or settled before, decides nothing.
  ///
  /// A restored attempt is followed by another one if its result has a delay, whatever the plan allows: its process
  /// ended, or someone retried the run. Work that has begun and doesn't succeed may have had an effect.
  mutating func settle(
    _ ticket: WorkTicket, _ result: RunResult, isRestored: Bool = false, hasBegun: Bool = true
  ) -> Decision {
    unpark(ticket)
    guard var claimed = claims[ticket] else { return Decision() }
    var decision = Decision()
    stop(&claimed.abandoning, &decision.effects)
    let isRepeated = isRestored && result.retryDelay != nil
    if isRepeated, let id = claimed.scope, claimed.work.isAttempt, tree.attempts(id) == nil {
      claimed.scope = openAttempts(claimed.work, AttemptPlan(), ticket, in: id)
    }
    if let id = claimed.scope, case .attempts? = tree[id]?.kind {
      settleAttempt(ticket, in: id, result, isRepeated: isRepeated, hasBegun: hasBegun, &decision)
    } else {
      settleOnce(ticket, claimed, result, hasBegun: hasBegun, &decision)
    }
    return decision
  }

  /// Settles work without attempts, work whose scope was cut off, or the end of the run.
  private mutating func settleOnce(
    _ ticket: WorkTicket, _ claimed: Claimed, _ result: RunResult, hasBegun: Bool, _ decision: inout Decision
  ) {
    if blueprint.has(.undo), let end = result.end { addToCleanup(claimed.work, end, hasBegun: hasBegun) }
    if result.end != nil { decision.handing = claimHanding(of: ticket) }
    _ = claims.remove(ticket)
    if let id = claimed.scope {
      apply(tree.settle(claimed.work, in: id, result), &decision.effects)
    } else if claimed.work.kind == .finish {
      phase = .ended
    } else {
      decision.effects += closingSteps.settle(ticket)
      if claims.count == 0 { drain() }
    }
  }

  /// Adds a step or an item that has ended to the cleanup, if it may have to be undone.
  mutating func addToCleanup(_ work: RunWork, _ end: Settlement, hasBegun: Bool) {
    guard end.isSuccess || hasBegun else { return }
    closing.add(work, in: blueprint, isCertain: end.isSuccess, isCutOff: isStopping)
  }

  // MARK: Claiming

  private mutating func claim(from id: ScopeID) -> RunOffer? {
    guard let work = tree.claim(from: id) else {
      tree.withdrawAttempt(of: id)
      return claimAttempt(of: id)
    }
    if work.beginsStep { stepCount += 1 }
    let offer = hand(work, to: id)
    guard blueprint.has(.attempts), let plan = plan(of: work) else { return offer }
    return beginAttempts(offer, plan, in: id)
  }

  mutating func hand(_ work: RunWork, to scope: ScopeID?) -> RunOffer {
    if work.isAttempt { budget.attemptCount += 1 }
    return RunOffer(ticket: claims.insert(Claimed(work: work, scope: scope)), work: work)
  }

  /// Claims the delivery of an item's result, just before the item is settled; `nil` if its group delivers none.
  ///
  /// Until the delivery settles, the item's place in the width is occupied, and neither the group nor the run ends.
  mutating func claimHanding(of ticket: WorkTicket) -> WorkTicket? {
    guard blueprint.has(.handedResults), let claimed = claims[ticket], claimed.work.attemptedWork.kind == .item,
      let step = claimed.work.step, let index = claimed.work.item,
      blueprint.steps[step].options?.results?.delivers == true
    else { return nil }
    var scope = claimed.scope
    if let id = scope, case .attempts? = tree[id]?.kind { scope = tree[id]?.parent }
    let work = RunWork(.deliver, of: step, item: index)
    let handing = claims.insert(Claimed(work: work, scope: scope, isCancelled: scope == nil))
    if let scope { tree.count(.held, in: scope) } else { closingSteps.add(handing, beside: ticket) }
    return handing
  }

  /// Claims the delivery of results of items between two attempts, whose next attempt never begins.
  private mutating func claimCutOffResults(_ effects: inout [RunEffect]) {
    for (id, scope) in tree.scopes.all {
      guard case .attempts = scope.kind, let attempts = tree.attempts(id), let number = attempts.cutOffNumber,
        let step = attempts.work.step, let index = attempts.work.item,
        blueprint.steps[step].options?.results?.delivers == true
      else { continue }
      let work = RunWork(.deliver, of: step, item: index)
      let ticket = claims.insert(Claimed(work: work, scope: nil, isCancelled: true))
      closingSteps.add(ticket, in: id)
      effects.append(.deliver(ticket, work, attempt: number))
    }
  }

  // MARK: Ending

  /// Decides the end of the run, or of the cleanup part that runs, unless it is decided already.
  mutating func end(_ ending: Settlement) -> [RunEffect] {
    if case .closing = phase { return endCleanupPart(ending) }
    guard self.ending == nil else { return [] }
    self.ending = ending
    if case .notBegun = phase { return [] }
    if !tree.begun.isEmpty { closing.add(begun: tree.begun, in: blueprint) }
    return cutOff()
  }

  /// Ends the cleanup part that runs; its failure becomes the run's end if that was a success.
  private mutating func endCleanupPart(_ partEnding: Settlement) -> [RunEffect] {
    closing.add(begun: tree.begun, in: blueprint)
    if !partEnding.isSuccess {
      closing.failure = partEnding
      if ending?.isSuccess == true { ending = partEnding }
    }
    return cutOff()
  }

  /// Undoes nothing, and cuts off the cleanup that runs, because the run will be resumed.
  mutating func suspend() -> [RunEffect] {
    closing.isSuspended = true
    return isStopping ? end(.succeeded) : []
  }

  /// Cancels all claimed work, and continues with the cleanup once it has settled.
  private mutating func cutOff() -> [RunEffect] {
    var effects = endOfPart
    // At a plain end nothing runs and the tree contains only ended blocks; the cleanup begins with a new tree.
    if claims.count > 0 || !tree.isAtEnd { effects += cutOffOpen() }
    // The wait for work that timed out remains limited.
    for (timer, use) in timers.all {
      if case .abandoning = use { continue }
      _ = timers.remove(timer)
      effects.append(.stop(timer))
    }
    drain()
    return effects
  }

  /// The effect for operations that wait for others in the ended part, which never begin.
  private var endOfPart: [RunEffect] {
    guard blueprint.has(.instance) else { return [] }
    switch closing.part {
    case .undo: return []
    case .always(let block): return [.partEnded(block, begun: Set(tree.begun))]
    case nil: return [.partEnded(Blueprint.root, begun: Set(tree.begun))]
    }
  }

  private mutating func cutOffOpen() -> [RunEffect] {
    closingSteps = ClosingSteps(tree.scopes, tree.attempts)
    var effects: [RunEffect] = []
    for (ticket, claim) in claims.all {
      if let scope = claim.scope { closingSteps.add(ticket, in: scope) }
      claims.update(ticket) { ($0.scope, $0.isCancelled) = (nil, true) }
      if !claim.isCancelled { effects.append(.cancel(ticket)) }
    }
    if blueprint.has(.handedResults), !closing.isSuspended { claimCutOffResults(&effects) }
    if blueprint.has(.undo) { addCutOffAttempts() }
    parking = Parking()
    tree = RunTree(shared)
    return effects + closingSteps.closeIdle()
  }

  /// Adds work that is cut off between two attempts, or before a recovery, to the cleanup: the failed attempt may have
  /// had an effect.
  private mutating func addCutOffAttempts() {
    for (_, attempts) in tree.attempts.all where (attempts.cutOffNumber ?? 0) > 0 {
      closing.add(attempts.work, in: blueprint, isCertain: false, isCutOff: true)
    }
  }

  mutating func apply(_ change: RunTree.Change, _ effects: inout [RunEffect]) {
    if !change.effects.isEmpty { effects += change.effects }
    if let ending = change.ending { effects += end(ending) }
  }

  /// Continues once all claimed work has settled: with the cleanup, and then to the end.
  mutating func drain() {
    guard claims.count == 0 else { return phase = .draining }
    phase = beginNextPart() ? .closing : .finishing(isClaimed: false)
  }

  /// Begins the next undo or `always` block; returns false if nothing is left to do.
  private mutating func beginNextPart() -> Bool {
    // If an `always` block turns a success into a failure, it is too late for undos.
    let isUndoing = if case .always = closing.part { false } else { true }
    guard let part = closing.next(after: isUndoing ? ending : .succeeded) else { return false }
    if tree.scopes.count > 0 { tree = RunTree(shared) }
    switch part {
    case .undo(let work):
      let plan = work.step.flatMap { blueprint.steps[$0].options?.undo?.attempts } ?? AttemptPlan()
      _ = tree.addAttempts(AttemptScope(work: work, plan: plan, stage: .offered), in: nil)
    case .always(let block): _ = tree.begin(block)
    }
    return true
  }

  /// Returns the done share of the run, from 0 to 1, including what running work reports, by its ticket.
  func fraction(reported: [WorkTicket: Double]) -> Double {
    switch ending {
    case .succeeded: return 1
    case .failed, .cancelled: return 0
    case nil:
      let byScope = reported.compactMap { ticket, fraction in claims[ticket]?.scope.map { ($0, fraction) } }
      return tree.fraction(reported: byScope)
    }
  }
}
