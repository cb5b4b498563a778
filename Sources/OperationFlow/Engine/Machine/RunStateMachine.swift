/// What a run does next, as a plain value: no locks, no threads, no clock, and no user's code.
///
/// The run's position is a tree of scopes: blocks, fans and attempts. Lanes claim work and settle it, each claim
/// exactly once, in any order. Time enters as timers, which the shell waits for and fires. The run ends when `.finish`
/// has been claimed and settled, which comes last and once.
struct RunStateMachine: Sendable {
  /// A piece of work that was handed out and has not settled.
  private struct Claimed: Sendable {
    let work: RunWork
    /// The scope that is told of its end.
    var scope: ScopeID?
    /// Whether it was asked to stop.
    var isCancelled = false
  }

  private enum Phase: Sendable {
    case notBegun, running
    /// The end is decided, and what was claimed has to settle first.
    case draining
    /// Everything has settled; `.finish` is offered, and then claimed.
    case finishing(isClaimed: Bool)
    case ended
  }

  private let blueprint: Blueprint
  private var phase = Phase.notBegun
  private var claims = Slab<Claimed>()
  private var tree: RunTree
  private var timers = Slab<ScopeID>()
  private var openAtEnd: [Blueprint.StepID] = []
  /// How many steps have begun; a group counts as one.
  private(set) var stepCount = 0
  /// How the run ends, decided by the first failure, cancellation, or last step.
  private(set) var ending: Settlement?
  private(set) var isPaused = false

  init(_ blueprint: Blueprint) {
    self.blueprint = blueprint
    tree = RunTree(blueprint)
  }

  // MARK: State

  /// Whether the run's end is decided, so that nothing more of it may start.
  var isStopping: Bool { ending != nil }

  var hasEnded: Bool { if case .ended = phase { true } else { false } }

  /// Claimed, and not settled yet.
  var runningCount: Int { claims.count }

  /// What was claimed and has not settled, in no particular order.
  var claimedWork: [(ticket: WorkTicket, work: RunWork)] { claims.all.map { ($0.id, $0.value.work) } }

  /// What was claimed under a ticket and has not settled.
  func work(of ticket: WorkTicket) -> RunWork? { claims[ticket]?.work }

  /// Whether a piece of work was asked to stop; of one that has settled, whether the run was.
  func isStopping(_ ticket: WorkTicket) -> Bool { claims[ticket]?.isCancelled ?? isStopping }

  /// What an ended claim leads to: the error of one that has taken too long, and whether it is not tried again.
  func verdict(_ ticket: WorkTicket, _ settlement: Settlement) -> (timeout: FlowError?, isFinal: Bool) {
    guard let scope = claims[ticket]?.scope, case .attempts(var attempts)? = tree[scope]?.kind else {
      return (nil, true)
    }
    let timeout = attempts.timeoutError
    if case .ended = attempts.attemptEnded(settlement) { return (timeout, true) }
    return (timeout, false)
  }

  /// How much work a lane could claim now.
  var claimableCount: Int {
    if case .finishing(isClaimed: false) = phase { return 1 }
    return tree.bookkeepingCount + (isPaused ? 0 : tree.usersCount)
  }

  // MARK: Inputs

  mutating func begin() {
    guard case .notBegun = phase else { return }
    guard ending == nil else { return drain() }
    phase = .running
    _ = apply(tree.begin())
  }

  /// Decides, before the run begins, that it fails without running anything.
  mutating func refuse(_ error: FlowError) {
    if case .notBegun = phase { ending = .failed(error) }
  }

  mutating func pause(_ isPaused: Bool) { self.isPaused = isPaused }

  /// Decides that the run ends as cancelled, unless its end is decided already.
  mutating func cancel() -> [RunEffect] { end(.cancelled) }

  /// Cancels one branch of a parallel step, while the others continue.
  mutating func cancelBranch(_ block: Blueprint.BlockID) -> [RunEffect] {
    guard let branch = tree.branch(block) else { return [] }
    let inside = tree.dissolve(branch)
    var effects: [RunEffect] = []
    var count = 0
    for (ticket, claim) in claims.all {
      guard let scope = claim.scope, inside.contains(scope) else { continue }
      claims.update(ticket) { ($0.scope, $0.isCancelled) = (branch, true) }
      if !claim.isCancelled { effects.append(.cancel(ticket)) }
      count += 1
    }
    for (timer, scope) in timers.all where inside.contains(scope) {
      _ = timers.remove(timer)
      effects.append(.stop(timer))
    }
    return effects + apply(tree.wait(branch, for: count))
  }

  /// The next piece of work; `nil` if there is none now.
  mutating func claim() -> RunOffer? {
    if let scope = tree.nextOffering(isPaused: isPaused) { return claim(from: scope) }
    guard case .finishing(isClaimed: false) = phase else { return nil }
    phase = .finishing(isClaimed: true)
    return hand(.finish, to: nil)
  }

  /// Takes the result of a piece of work that was claimed.
  mutating func settle(_ ticket: WorkTicket, _ result: RunResult) -> [RunEffect] {
    guard let claimed = claims.remove(ticket) else { return [] }
    guard let id = claimed.scope else {
      if claimed.work == .finish { phase = .ended } else if claims.count == 0 { drain() }
      return []
    }
    // A plain step that has succeeded, with another one after it, is by far the most frequent.
    if case .settled(.succeeded) = result, case .step = claimed.work, tree.offerNextPlainStep(of: id) { return [] }
    switch tree[id]?.kind {
    case .block: return apply(tree.settle(claimed.work, ofBlock: id, result))
    case .fan: return apply(tree.settle(claimed.work, ofFan: id, result))
    case .attempts:
      // A result that does not fit is not a failure of the attempt, and is not tried again.
      guard case .settled(let settlement) = result else { return end(.failed(FlowError.misfit)) }
      return settleAttempt(id, settlement)
    case .draining: return apply(tree.drain(id))
    case nil: return []
    }
  }

  /// Settles a claim as a success and claims the next, in one go if nothing is in between: what a lane usually does.
  mutating func settleAndClaim(_ ticket: WorkTicket, _ result: RunResult) -> (effects: [RunEffect], offer: RunOffer?) {
    if case .settled(.succeeded) = result, let offer = goOn(after: ticket) { return ([], offer) }
    return (settle(ticket, result), claim())
  }

  /// Hands out what the same scope offers next, if the rest of the run offers nothing; otherwise nothing changes.
  @inline(__always)
  private mutating func goOn(after ticket: WorkTicket) -> RunOffer? {
    guard !isPaused, !blueprint.hasAttemptPlans, let claimed = claims[ticket], let id = claimed.scope,
      let next = tree.goOn(after: claimed.work, in: id)
    else { return nil }
    if next.beginsStep { stepCount += 1 }
    return claims.replace(ticket, with: Claimed(work: next, scope: id)).map { RunOffer(ticket: $0, work: next) }
  }

  /// Notes that a timer's time is over.
  mutating func fire(_ timer: TimerID) -> [RunEffect] {
    guard let id = timers.remove(timer), case .attempts(var attempts)? = tree[id]?.kind else { return [] }
    attempts.timer = nil
    switch attempts.stage {
    case .running(let ticket):
      attempts.timeOut()
      claims.update(ticket) { $0.isCancelled = true }
      tree.keep(attempts, of: id, isOffered: false)
      return [.cancel(ticket)]
    case .delayed:
      attempts.offer()
      tree.keep(attempts, of: id, isOffered: true)
    case .offered: tree.keep(attempts, of: id, isOffered: false)
    }
    return []
  }

  // MARK: Claiming

  private mutating func claim(from id: ScopeID) -> RunOffer? {
    guard let work = tree.claim(from: id) else {
      tree.claimAttempt(of: id)
      return claimAttempt(of: id)
    }
    if work.beginsStep { stepCount += 1 }
    if blueprint.hasAttemptPlans, case .item(let step, _) = work, let plan = blueprint.steps[step].options.attempts {
      return claimAttempt(of: tree.addAttempts(AttemptScope(work, plan), in: id))
    }
    return hand(work, to: id)
  }

  private mutating func claimAttempt(of id: ScopeID) -> RunOffer? {
    guard case .attempts(var attempts)? = tree[id]?.kind else { return nil }
    if attempts.number == 1, attempts.work.beginsStep { stepCount += 1 }
    var offer = hand(attempts.work, to: id)
    offer.attempt = attempts.number
    attempts.begin(offer.ticket)
    if let timeout = attempts.plan.timeout {
      let timer = timers.insert(id)
      attempts.timer = timer
      offer.timer = .start(timer, timeout)
    }
    tree.keep(attempts, of: id, isOffered: false)
    return offer
  }

  private mutating func hand(_ work: RunWork, to scope: ScopeID?) -> RunOffer {
    RunOffer(ticket: claims.insert(Claimed(work: work, scope: scope)), work: work)
  }

  // MARK: Settling

  private mutating func settleAttempt(_ id: ScopeID, _ settlement: Settlement) -> [RunEffect] {
    guard case .attempts(var attempts)? = tree[id]?.kind else { return [] }
    var effects: [RunEffect] = []
    if let timer = attempts.timer.take(), timers.remove(timer) != nil { effects.append(.stop(timer)) }
    switch attempts.attemptEnded(settlement) {
    case .ended(let settlement): return effects + apply(tree.endAttempts(id, settlement))
    case .another(let delay):
      if delay > .zero {
        let timer = timers.insert(id)
        attempts.timer = timer
        effects.append(.start(timer, delay))
      }
      tree.keep(attempts, of: id, isOffered: delay <= .zero)
      return effects
    }
  }

  // MARK: Ending

  /// Decides how the run ends, unless that is decided already.
  private mutating func end(_ ending: Settlement) -> [RunEffect] {
    guard self.ending == nil else { return [] }
    self.ending = ending
    if case .notBegun = phase { return [] }
    openAtEnd = tree.openSteps
    var effects: [RunEffect] = []
    for (ticket, claim) in claims.all {
      claims.update(ticket) { ($0.scope, $0.isCancelled) = (nil, true) }
      if !claim.isCancelled { effects.append(.cancel(ticket)) }
    }
    effects += timers.all.map { .stop($0.id) }
    (timers, tree) = (Slab(), RunTree(blueprint))
    drain()
    return effects
  }

  /// Puts a change of the tree into effect.
  private mutating func apply(_ change: RunTree.Change) -> [RunEffect] {
    change.ending.map { end($0) + change.effects } ?? change.effects
  }

  /// Ends once everything that was claimed has settled.
  private mutating func drain() {
    phase = claims.count == 0 ? .finishing(isClaimed: false) : .draining
  }

  // MARK: The run as a whole

  /// The steps with others in them that have begun and have not ended, the innermost first.
  var openSteps: [Blueprint.StepID] {
    ending == nil ? tree.openSteps : openAtEnd
  }

  /// How much of the run is done, from 0 to 1.
  ///
  /// Running work reports its own progress: `reported` has the fractions by ticket.
  func fraction(reported: [WorkTicket: Double]) -> Double {
    switch ending {
    case .succeeded: return 1
    case .failed, .cancelled: return 0
    case nil:
      let byScope = reported.compactMap { ticket, fraction in claims[ticket]?.scope.map { ($0, fraction) } }
      return tree.fraction(reported: byScope)
    }
  }

  /// How many items have ended in running groups whose number of items is not known; `nil` if there are none.
  var uncountedItems: Int? { tree.uncountedItems }
}
