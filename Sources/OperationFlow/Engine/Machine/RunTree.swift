/// A run's position, as the tree of its scopes, with what they offer.
///
/// It knows what follows what; the state machine knows the claims and timers, and how the run ends.
struct RunTree: Sendable {
  struct Change: Sendable {
    var effects: [RunEffect] = []
    /// How the run ends, if that is decided now.
    var ending: Settlement?
  }

  private let shared: SharedBlueprint
  var blueprint: Blueprint { shared.value }
  private(set) var scopes = Slab<RunScope>()
  private(set) var attempts = Slab<AttemptScope>()
  /// Scopes that offer the run's own work, which continues while the run is paused.
  private var bookkeeping = ReadyQueue()
  private(set) var bookkeepingCount = 0
  /// Scopes that offer a user's work; if steps have precedences, those that were queued since work was last claimed.
  private var users = ReadyQueue()
  /// The others, if steps have precedences.
  private var ranked = RankedQueue()
  private(set) var usersCount = 0
  /// The blocks that have begun and have something that runs at the end.
  private(set) var begun: [Blueprint.BlockID] = []
  /// The last failures of groups that know only later how many may fail.
  private var lastFailures: [(group: ScopeID, ending: Settlement)] = []

  init(_ shared: SharedBlueprint) { self.shared = shared }

  mutating func begin(_ block: Blueprint.BlockID = Blueprint.root) -> Change {
    advance(insert(block, .plain, in: nil))
  }

  private mutating func insert(_ block: Blueprint.BlockID, _ role: BlockScope.Role, in parent: ScopeID?) -> ScopeID {
    if blueprint.has(.always), !blueprint.blocks[block].always.isEmpty { begun.append(block) }
    return insert(.block(BlockScope(block, role)), in: parent)
  }

  private mutating func insert(_ kind: RunScope.Kind, in parent: ScopeID?) -> ScopeID {
    let depth = parent.flatMap { scopes[$0]?.depth }.map { $0 + 1 } ?? 0
    return scopes.insert(RunScope(kind: kind, parent: parent, depth: depth))
  }

  subscript(id: ScopeID) -> RunScope? { scopes[id] }

  /// The attempts that a scope is; `nil` if it is something else.
  func attempts(_ id: ScopeID) -> AttemptScope? {
    guard case .attempts(let place, _)? = scopes[id]?.kind else { return nil }
    return attempts[place]
  }

  // MARK: Offers

  var offersNothing: Bool { usersCount == 0 && bookkeepingCount == 0 }

  mutating func nextOffering(isPaused: Bool) -> ScopeID? {
    if bookkeepingCount > 0, let scope = bookkeeping.firstReady(in: &scopes) { return scope }
    guard usersCount > 0, !isPaused else { return nil }
    return blueprint.has(.precedence) ? highestOffering() : users.firstReady(in: &scopes)
  }

  /// The scope whose work comes before that of others; it becomes the only one in the queue from which work is claimed.
  private mutating func highestOffering() -> ScopeID? {
    while let id = users.popFirst() {
      let precedence = scopes.update(id) { [blueprint, attempts] in $0.precedence(in: blueprint, attempts) }
      if let precedence { ranked.append(id, precedence: precedence) }
    }
    guard let id = ranked.popFirstReady(in: &scopes) else { return nil }
    users.append(id)
    return id
  }

  /// Hands out the work of the scope that is next; `nil` if that is the next attempt of something.
  mutating func claim(from id: ScopeID) -> RunWork? {
    guard let claimed = scopes.update(id, { $0.claimNext() }) ?? nil else { return nil }
    usersCount -= claimed.fewer
    if claimed.work.isBookkeeping {
      bookkeepingCount -= 1
      bookkeeping.removeFirst()
    } else if claimed.staysQueued {
      users.rotate()
    } else {
      users.removeFirst()
    }
    return claimed.work
  }

  /// Opens attempts: of what was claimed from a block or a fan, or of something that is undone.
  mutating func addAttempts(_ attempts: AttemptScope, in parent: ScopeID?) -> ScopeID {
    if let parent { scopes.update(parent) { $0.changeBlock { $0.wait() } } }
    let isOffered = attempts.stage == .offered
    let id = insert(.attempts(self.attempts.insert(attempts), isOffered: isOffered), in: parent)
    if isOffered { enqueue(id) }
    return id
  }

  /// Withdraws the offer of a scope's next attempt, because it is claimed.
  mutating func withdrawAttempt(of id: ScopeID) {
    usersCount -= 1
    users.removeFirst()
    scopes.update(id) { $0.isQueued = false }
  }

  /// Changes attempts in place, and offers the next one if that is new; `nil` if the scope is something else.
  @discardableResult
  mutating func changeAttempts<Result>(_ id: ScopeID, _ change: (inout AttemptScope) -> Result) -> Result? {
    guard case .attempts(let place, let wasOffered)? = scopes[id]?.kind else { return nil }
    var isOffered = wasOffered
    let result = attempts.update(place) { attempts in
      defer { isOffered = attempts.stage == .offered }
      return change(&attempts)
    }
    if isOffered != wasOffered { scopes.update(id) { $0.kind = .attempts(place, isOffered: isOffered) } }
    if isOffered, !wasOffered { enqueue(id) }
    return result
  }

  // MARK: Settling

  mutating func settle(_ work: RunWork, in id: ScopeID, _ result: RunResult) -> Change {
    let step = work.step ?? 0
    switch (result, work.kind) {
    case (.settled, .item), (.failed, .item): return itemEnded(result.settlement, in: id)
    case (.settled(.succeeded), .handOn):
      count(.released, in: id)
      return Change()
    case (.pulled(let isItem), .pull):
      return count(.pulled(isItem: isItem), in: id)
        ? Change() : stop(id, lastFailures.last { $0.group == id }?.ending ?? .failed(FlowError.unexpectedResult))
    case (.settled(.succeeded), .leave):
      // The end of a flow that is a step belongs to its own block; that of a parallel step to the block that holds it.
      guard case .block(let block)? = scopes[id]?.kind, block.role == .flow(step), let parent = scopes[id]?.parent
      else { return advance(id) }
      _ = scopes.remove(id)
      return advance(parent)
    case (.settled(.succeeded), .check):
      begin(step, in: id)
      return Change()
    case (.skipped, .check): return advance(id)
    case (.settled(.succeeded), .step), (.settled(.succeeded), .collect): return advance(id)
    case (.settled(.failed), _), (.settled(.cancelled), _), (.failed, _):
      // If an item could not be found, or its result not handed on, that isn't its own failure, and never tolerated.
      return Change(ending: result.settlement)
    // No branch matches: the flow ends here as a success, or the flow or the parallel branch that holds the cases.
    case (.chosen(nil), .choose): return advance(id, endsEarly: true)
    case (.chosen(let block?), .choose): return enter(block, .cases(step), in: id)
    case (.entered, .enter): return enter(step, in: id)
    case (.planned(let count, let width, let tolerance), .plan):
      _ = open(FanScope(step: step, count: count, width: width, tolerance: tolerance), in: id)
      return Change()
    case (.settled, _), (.skipped, _), (.chosen, _), (.entered, _), (.planned, _), (.pulled, _):
      return Change(ending: .failed(FlowError.unexpectedResult))
    }
  }

  private mutating func itemEnded(_ settlement: Settlement, in id: ScopeID) -> Change {
    if !settlement.isSuccess, case .fan(let fan)? = scopes[id]?.kind, fan.decidesLate {
      lastFailures.removeAll { $0.group == id }
      lastFailures.append((id, settlement))
    }
    return count(.ended(failed: !settlement.isSuccess), in: id) ? Change() : stop(id, settlement)
  }

  /// Too many items of a group have failed.
  private func stop(_ id: ScopeID, _ ending: Settlement) -> Change {
    guard case .fan(let fan)? = scopes[id]?.kind else { return Change(ending: ending) }
    return Change(effects: [.groupStopped(fan.step)], ending: ending)
  }

  /// A step or an item has ended for good, after as many attempts as it had.
  mutating func endAttempts(_ id: ScopeID, _ settlement: Settlement) -> Change {
    guard let scope = scopes.remove(id), case .attempts(let place, _) = scope.kind else { return Change() }
    _ = attempts.remove(place)
    guard let parent = scope.parent else { return Change() }
    if case .fan? = scopes[parent]?.kind { return itemEnded(settlement, in: parent) }
    return settlement.isSuccess ? advance(parent) : Change(ending: settlement)
  }

  /// Counts what a scope offers anew, and puts the scope into a queue unless it is there already.
  private mutating func enqueue(_ id: ScopeID, count: Int = 1, isBookkeeping: Bool = false) {
    if isBookkeeping { bookkeepingCount += count } else { usersCount += count }
    let isNew = scopes.update(id) { scope in
      defer { scope.isQueued = true }
      return !scope.isQueued
    }
    guard isNew == true else { return }
    if isBookkeeping { bookkeeping.append(id) } else { users.append(id) }
  }

  private mutating func offer(_ work: RunWork, of id: ScopeID) {
    scopes.update(id) { $0.changeBlock { $0.offer(work) } }
    enqueue(id, isBookkeeping: work.isBookkeeping)
  }

  // MARK: Moving

  /// Goes to the next step of a block, leaving the blocks that are done; if they end early, none has another step.
  private mutating func advance(_ start: ScopeID, endsEarly: Bool = false) -> Change {
    var id = start
    var change = Change()
    while case .block(let block)? = scopes[id]?.kind {
      let next = endsEarly ? nil : scopes.update(id) { $0.changeBlock { $0.advance(in: shared.value) } ?? nil } ?? nil
      if let next {
        // Its conditions come first.
        let isConditional = blueprint.stepProperties[next].marks.contains(.condition)
        if isConditional { offer(RunWork(.check, of: next), of: id) } else { begin(next, in: id) }
        return change
      }
      if case .flow(let step) = block.role {
        offer(RunWork(.leave, of: step), of: id)
        return change
      }
      guard let parent = endBlock(id, &change) else { return change }
      id = parent
    }
    return change
  }

  /// Ends a block that isn't that of a flow, and returns the block that goes on; `nil` if none does.
  private mutating func endBlock(_ id: ScopeID, _ change: inout Change) -> ScopeID? {
    guard let scope = scopes[id], case .block(let block) = scope.kind, let parent = scope.parent else {
      change.ending = .succeeded
      return nil
    }
    _ = scopes.remove(id)
    switch block.role {
    case .branch:
      // The last lets the parallel step end.
      count(.ended(failed: false), in: parent)
      return nil
    case .cases(let step): change.effects.append(.combined(step))
    case .plain, .flow: break
    }
    return parent
  }

  private mutating func begin(_ step: Blueprint.StepID, in id: ScopeID) {
    let kind: RunWork.Kind =
      switch blueprint.steps[step].kind {
      case .operation, .closure: .step
      case .group: .plan
      case .cases: .choose
      case .flow, .parallel: .enter
      }
    offer(RunWork(kind, of: step), of: id)
  }

  /// Opens items or branches in a block, which waits for them.
  private mutating func open(_ fan: FanScope, in block: ScopeID) -> ScopeID {
    scopes.update(block) { $0.changeBlock { $0.wait() } }
    let id = insert(.fan(fan), in: block)
    if fan.isFinished { endFan(id) } else if fan.claimableCount > 0 { enqueue(id, count: fan.claimableCount) }
    return id
  }

  private mutating func enter(_ block: Blueprint.BlockID, _ role: BlockScope.Role, in parent: ScopeID) -> Change {
    scopes.update(parent) { $0.changeBlock { $0.wait() } }
    return advance(insert(block, role, in: parent))
  }

  private mutating func enter(_ step: Blueprint.StepID, in id: ScopeID) -> Change {
    switch blueprint.steps[step].kind {
    case .flow(let block, _, _): return enter(block, .flow(step), in: id)
    case .parallel(let branches):
      let fan = open(FanScope(step: step, branchCount: branches.count), in: id)
      for branch in branches { _ = advance(insert(branch.block, .branch, in: fan)) }
      return Change()
    case .operation, .closure, .group, .cases: return Change(ending: .failed(FlowError.unexpectedResult))
    }
  }

  /// Tells a fan what has happened, and closes it if all of its children have ended; false if it must not continue.
  @discardableResult
  mutating func count(_ event: FanScope.Event, in id: ScopeID) -> Bool {
    guard case .fan(var fan)? = scopes[id]?.kind else { return true }
    let count = fan.claimableCount
    let goesOn = fan.count(event)
    scopes.update(id) { $0.kind = .fan(fan) }
    let left = fan.claimableCount
    if goesOn, left > 0 { enqueue(id, count: left - count) } else { usersCount += left - count }
    if goesOn, fan.isFinished { endFan(id) }
    return goesOn
  }

  private mutating func endFan(_ id: ScopeID) {
    guard let scope = scopes.remove(id), case .fan(let fan) = scope.kind, let parent = scope.parent else { return }
    if !lastFailures.isEmpty { lastFailures.removeAll { $0.group == id } }
    offer(RunWork(fan.holdsBranches ? .leave : .collect, of: fan.step), of: parent)
  }
}

extension RunTree {
  /// Whether at most one block is left, which has come to its end, so that no step is open.
  var isAtEnd: Bool { scopes.count <= 1 && bookkeepingCount == 0 && usersCount == 0 }

  var delayedAttempts: [(work: RunWork, number: Int)] {
    attempts.all.compactMap { $0.value.stage == .delayed ? ($0.value.work, $0.value.number) : nil }
  }

  /// How many items have ended in the fans whose number of items is not known; `nil` if there are none.
  var uncountedItems: Int? {
    scopes.all.reduce(nil) { count, scope in
      guard case .fan(let fan) = scope.value.kind, let ended = fan.uncountedItems else { return count }
      return (count ?? 0) + ended
    }
  }

  /// How much of the run is done, from 0 to 1, with what running work reports itself, by the scope that it was claimed from.
  func fraction(reported: [(ScopeID, Double)]) -> Double {
    /// How much of the run a scope's running child is.
    var childShares = [ScopeID: Double]()
    var whole = 0.0
    for (id, scope) in scopes.outermostFirst {
      let share = scope.parent.map { childShares[$0] ?? 0 } ?? 1
      switch scope.kind {
      case .block(let block):
        whole += share * block.doneFraction(in: blueprint)
        childShares[id] = share * block.currentFraction(in: blueprint)
      case .fan(let fan):
        whole += share * fan.doneFraction
        childShares[id] = share * fan.childFraction
      case .attempts: childShares[id] = share
      }
    }
    for (id, fraction) in reported { whole += (childShares[id] ?? 0) * fraction }
    return min(1, max(0, whole))
  }
}

extension Slab<RunScope> {
  /// All scopes, each after those that it lies within, in an order that doesn't depend on when they began.
  var outermostFirst: [(id: ScopeID, value: RunScope)] { all.sorted { $0.value.order < $1.value.order } }
}
