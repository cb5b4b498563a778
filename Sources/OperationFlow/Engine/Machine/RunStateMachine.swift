/// What a run does next, as a plain value: no locks, no threads, no clock, and no user's code.
///
/// The run's position is a tree of scopes: blocks, fans and attempts. Lanes claim work and settle it, each claim
/// exactly once, in any order. Time enters as timers, which the shell waits for and fires. The run ends when `.finish`
/// has been claimed and settled, which comes last and once.
struct RunStateMachine: Sendable {
  /// A piece of work that was handed out and has not settled.
  struct Claimed: Sendable {
    let work: RunWork
    /// The scope that is told of its end.
    var scope: ScopeID?
    var isCancelled = false
    /// What ends the waiting for work that has timed out.
    var abandoning: TimerID?
  }

  /// The consequences of the end of a piece of work.
  struct Decision: Sendable {
    /// Another attempt or a recovery, if one of them follows.
    var follow = FlowEvent.Source.Failure.own
    /// The claim that hands on the result of an item that has ended for good; `nil` if its group hands on none.
    var handing: WorkTicket?
    var effects: [RunEffect] = []
  }

  private enum Phase: Sendable {
    case notBegun, running
    /// The end is decided, and what was claimed has to settle first.
    case draining
    /// What follows the decision is under way: undos, and steps that always run.
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
  /// What has timed out and was not waited for.
  var abandoned: Set<WorkTicket> = []
  var closing = RunCleanup()
  /// What was open when the part of the run that is at its end was cut off.
  var closingSteps = ClosingSteps()
  /// How many steps have begun; a group counts as one.
  private(set) var stepCount = 0
  /// How the run ends, decided by the first failure, cancellation, or last step.
  private(set) var ending: Settlement?
  var isPaused = false
  /// Whether what is claimed may have to wait for a journal before it begins.
  var holdsWorkBack = false

  init(_ blueprint: SharedBlueprint, retryBudget: FlowRetryBudget) {
    shared = blueprint
    budget = RetryBudget(limit: retryBudget)
    tree = RunTree(shared)
  }

  // MARK: State

  /// True if the run's end is decided, so that nothing more may start but its undos and what always runs.
  var isStopping: Bool { ending != nil }

  var hasEnded: Bool { if case .ended = phase { true } else { false } }

  /// Whether a pause holds up the users' work: it doesn't once the end is decided.
  var holdsUserWork: Bool { isPaused && closing.part == nil }

  /// Whether nothing but its end is left.
  var isFinishing: Bool { if case .finishing = phase { true } else { false } }

  /// Whether what follows the end is under way: undos, and steps that always run.
  var isClosing: Bool { if case .closing = phase { true } else { false } }

  var runningCount: Int { claims.count }

  func work(of ticket: WorkTicket) -> RunWork? { claims[ticket]?.work }

  /// Whether a piece of work was asked to stop; of one that has settled, whether the run was.
  ///
  /// Inlined, because the compiler would copy the whole machine for the call.
  @inline(__always)
  func isStopping(_ ticket: WorkTicket) -> Bool {
    claims[ticket]?.isCancelled ?? (isStopping || abandoned.contains(ticket))
  }

  var claimableCount: Int {
    if case .finishing(isClaimed: false) = phase { return 1 }
    return tree.bookkeepingCount + (holdsUserWork ? 0 : tree.usersCount + parking.resumed.count)
  }

  // MARK: Inputs

  /// Begins, with the time that the whole run may take.
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

  /// The next piece of work, what was resumed before what is new; `nil` if there is none now.
  mutating func claim() -> RunOffer? {
    if parking.resumed.count > 0, !holdsUserWork { return claimResumed() }
    if let scope = tree.nextOffering(isPaused: holdsUserWork) { return claim(from: scope) }
    guard case .finishing(isClaimed: false) = phase else { return nil }
    phase = .finishing(isClaimed: true)
    return hand(.finish, to: nil)
  }

  /// Settles a piece of work; the end of one that isn't claimed, or has settled before, decides nothing.
  ///
  /// A restored attempt is followed by another one if its result says so, whatever the plan allows: its process had ended, or
  /// someone has retried the run. Work that has begun, and does not succeed, may have had an effect.
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

  /// Settles what is done once, belongs to no scope any more, or is the end of the run.
  private mutating func settleOnce(
    _ ticket: WorkTicket, _ claimed: Claimed, _ result: RunResult, hasBegun: Bool, _ decision: inout Decision
  ) {
    if blueprint.has(.undo), let end = result.end { noteEffect(of: claimed.work, end, hasBegun: hasBegun) }
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

  /// Notes that a step or an item has ended, and may have to be undone.
  mutating func noteEffect(of work: RunWork, _ end: Settlement, hasBegun: Bool) {
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

  /// Claims the handing on of an item's result, just before the item is settled; `nil` if its group hands on none.
  ///
  /// Until that settles as well, no other item takes the place in the width, and neither the group nor the run ends.
  mutating func claimHanding(of ticket: WorkTicket) -> WorkTicket? {
    guard blueprint.has(.handedResults), let claimed = claims[ticket], claimed.work.attemptedWork.kind == .item,
      let step = claimed.work.step, let index = claimed.work.item,
      blueprint.steps[step].options?.results?.handsOn == true
    else { return nil }
    var scope = claimed.scope
    if let id = scope, case .attempts? = tree[id]?.kind { scope = tree[id]?.parent }
    let work = RunWork(.handOn, of: step, item: index)
    let handing = claims.insert(Claimed(work: work, scope: scope, isCancelled: scope == nil))
    if let scope { tree.count(.held, in: scope) } else { closingSteps.add(handing, beside: ticket) }
    return handing
  }

  /// Claims the handing on of the results of items between two attempts: the next attempt never comes.
  private mutating func claimCutOffResults(_ effects: inout [RunEffect]) {
    for (id, scope) in tree.scopes.all {
      guard case .attempts = scope.kind, let attempts = tree.attempts(id), let number = attempts.cutOffNumber,
        let step = attempts.work.step, let index = attempts.work.item,
        blueprint.steps[step].options?.results?.handsOn == true
      else { continue }
      let work = RunWork(.handOn, of: step, item: index)
      let ticket = claims.insert(Claimed(work: work, scope: nil, isCancelled: true))
      closingSteps.add(ticket, in: id)
      effects.append(.handOn(ticket, work, attempt: number))
    }
  }

  // MARK: Ending

  /// Decides how the run ends, unless that is decided already.
  mutating func end(_ ending: Settlement) -> [RunEffect] {
    if case .closing = phase { return endCleanupPart(ending) }
    guard self.ending == nil else { return [] }
    self.ending = ending
    if case .notBegun = phase { return [] }
    if !tree.begun.isEmpty { closing.add(begun: tree.begun, in: blueprint) }
    return cutOff()
  }

  /// Ends what runs at the end: the run keeps its own end, unless that was a success.
  private mutating func endCleanupPart(_ partEnding: Settlement) -> [RunEffect] {
    closing.add(begun: tree.begun, in: blueprint)
    if !partEnding.isSuccess {
      closing.failure = partEnding
      if ending?.isSuccess == true { ending = partEnding }
    }
    return cutOff()
  }

  /// Undoes nothing, and cuts off what is being undone or runs at the end: the run will be resumed.
  mutating func suspend() -> [RunEffect] {
    closing.isSuspended = true
    return isStopping ? end(.succeeded) : []
  }

  /// Cancels everything that was claimed, and goes on once it has settled.
  private mutating func cutOff() -> [RunEffect] {
    var effects = endOfPart
    // At a plain end nothing is at work, and the tree holds only what has ended; what comes next begins with a new one.
    if claims.count > 0 || !tree.isAtEnd { effects += cutOffOpen() }
    // What has timed out is not waited for any longer than it would have been.
    for (timer, use) in timers.all {
      if case .abandoning = use { continue }
      _ = timers.remove(timer)
      effects.append(.stop(timer))
    }
    drain()
    return effects
  }

  /// Says which part ends, if operations may wait for some in it that never begin.
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
    if blueprint.has(.undo) { noteCutOffAttempts() }
    parking = Parking()
    tree = RunTree(shared)
    return effects + closingSteps.closeIdle()
  }

  /// Notes the work between two attempts, or before a recovery, that is cut off: what has failed may have had an effect.
  private mutating func noteCutOffAttempts() {
    for (_, attempts) in tree.attempts.all where (attempts.cutOffNumber ?? 0) > 0 {
      closing.add(attempts.work, in: blueprint, isCertain: false, isCutOff: true)
    }
  }

  mutating func apply(_ change: RunTree.Change, _ effects: inout [RunEffect]) {
    if !change.effects.isEmpty { effects += change.effects }
    if let ending = change.ending { effects += end(ending) }
  }

  /// Goes on once everything that was claimed has settled: with what follows the decision, and then to the end.
  mutating func drain() {
    guard claims.count == 0 else { return phase = .draining }
    phase = beginNextPart() ? .closing : .finishing(isClaimed: false)
  }

  /// Begins the next undo, or the next steps that always run; false if nothing is left to do.
  private mutating func beginNextPart() -> Bool {
    // A success that becomes a failure at the end is too late to be undone.
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

  /// How much of the run is done, from 0 to 1, with what running work reports itself, by its ticket.
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
