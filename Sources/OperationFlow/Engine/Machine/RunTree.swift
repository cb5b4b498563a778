/// A run's position, as the tree of its scopes, with the work that they offer.
///
/// It decides what follows what. The state machine has the claims and timers, and decides how the run ends.
struct RunTree: Sendable {
  struct Change: Sendable {
    var effects: [RunEffect] = []
    /// The end of the run, if it is decided now.
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
  /// Scopes that were queued earlier, by precedence; empty unless steps have precedences.
  private var ranked = RankedQueue()
  private(set) var usersCount = 0
  /// The blocks that have begun and have `always` blocks.
  private(set) var begun: [Blueprint.BlockID] = []
  /// The last failure of each group whose tolerated number of failures isn't final yet.
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

  /// Returns the attempts of the scope; `nil` if it is a block or a fan.
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

  /// Returns the scope whose work has the highest precedence, as the only one in the queue from which work is claimed.
  private mutating func highestOffering() -> ScopeID? {
    while let id = users.popFirst() {
      let precedence = scopes.update(id) { [blueprint, attempts] in $0.precedence(in: blueprint, attempts) }
      if let precedence { ranked.append(id, precedence: precedence) }
    }
    guard let id = ranked.popFirstReady(in: &scopes) else { return nil }
    users.append(id)
    return id
  }

  /// Claims the next work of a scope; `nil` if it offers an attempt instead.
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

  /// Opens the attempts at work that was claimed from a block or a fan, or at an undo.
  mutating func addAttempts(_ attempts: AttemptScope, in parent: ScopeID?) -> ScopeID {
    if let parent { scopes.update(parent) { $0.changeBlock { $0.wait() } } }
    let isOffered = attempts.stage == .offered
    let id = insert(.attempts(self.attempts.insert(attempts), isOffered: isOffered), in: parent)
    if isOffered { enqueue(id) }
    return id
  }

  /// Withdraws a scope's offer of its next attempt, which is claimed.
  mutating func withdrawAttempt(of id: ScopeID) {
    usersCount -= 1
    users.removeFirst()
    scopes.update(id) { $0.isQueued = false }
  }

  /// Changes attempts in place, and offers the next one if it has become claimable; `nil` if the scope is something
  /// else.
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
    case (.settled(.succeeded), .deliver):
      count(.released, in: id)
      return Change()
    case (.pulled(let isItem), .pull):
      return count(.pulled(isItem: isItem), in: id)
        ? Change() : stop(id, lastFailures.last { $0.group == id }?.ending ?? .failed(FlowError.unexpectedResult))
    case (.settled(.succeeded), .leave):
      // The flow's own block offers its `leave`; that of a parallel step is offered by the block around the step.
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
      // A failed pull or delivery isn't the item's own failure, and is never tolerated.
      return Change(ending: result.settlement)
    // No case matches: the innermost flow, parallel branch or run around the cases ends here, as a success.
    case (.chosen(nil), .choose): return advance(id, endsEarly: true)
    case (.chosen(let block?), .choose): return enter(block, .cases(step), in: id)
    case (.entered, .enter): return enter(step, in: id)
    case (.planned(let count, let expected, let width, let tolerance), .plan):
      _ = open(FanScope(step: step, count: count, expected: expected, width: width, tolerance: tolerance), in: id)
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

  /// Stops a group in which too many items have failed.
  private func stop(_ id: ScopeID, _ ending: Settlement) -> Change {
    guard case .fan(let fan)? = scopes[id]?.kind else { return Change(ending: ending) }
    return Change(effects: [.groupStopped(fan.step)], ending: ending)
  }

  /// Closes the attempts at a step or an item, the last of which has ended.
  mutating func endAttempts(_ id: ScopeID, _ settlement: Settlement) -> Change {
    guard let scope = scopes.remove(id), case .attempts(let place, _) = scope.kind else { return Change() }
    _ = attempts.remove(place)
    guard let parent = scope.parent else { return Change() }
    if case .fan? = scopes[parent]?.kind { return itemEnded(settlement, in: parent) }
    return settlement.isSuccess ? advance(parent) : Change(ending: settlement)
  }

  /// Counts new offers of a scope, and queues the scope unless it is queued already.
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

  /// Moves to the next step of a block, and leaves blocks that are done; with `endsEarly`, the remaining steps are
  /// skipped.
  private mutating func advance(_ start: ScopeID, endsEarly: Bool = false) -> Change {
    var id = start
    var change = Change()
    while case .block(let block)? = scopes[id]?.kind {
      let next = endsEarly ? nil : scopes.update(id) { $0.changeBlock { $0.advance(in: shared.value) } ?? nil } ?? nil
      if let next {
        // The step's conditions are checked first.
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

  /// Ends a block that isn't a flow's, and returns the block that continues; `nil` if none does.
  private mutating func endBlock(_ id: ScopeID, _ change: inout Change) -> ScopeID? {
    guard let scope = scopes[id], case .block(let block) = scope.kind, let parent = scope.parent else {
      change.ending = .succeeded
      return nil
    }
    _ = scopes.remove(id)
    switch block.role {
    case .branch:
      // The last branch ends the parallel step.
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

  /// Opens items or branches in a block, which then waits for them.
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

  /// Counts an event of a fan, and closes the fan if all of its children have ended; returns false if it must stop.
  @discardableResult
  mutating func count(_ event: FanScope.Event, in id: ScopeID) -> Bool {
    guard case .fan(var fan)? = scopes[id]?.kind else { return true }
    let count = fan.claimableCount
    let continues = fan.count(event)
    scopes.update(id) { $0.kind = .fan(fan) }
    let left = fan.claimableCount
    if continues, left > 0 { enqueue(id, count: left - count) } else { usersCount += left - count }
    if continues, fan.isFinished { endFan(id) }
    return continues
  }

  private mutating func endFan(_ id: ScopeID) {
    guard let scope = scopes.remove(id), case .fan(let fan) = scope.kind, let parent = scope.parent else { return }
    if !lastFailures.isEmpty { lastFailures.removeAll { $0.group == id } }
    offer(RunWork(fan.holdsBranches ? .leave : .collect, of: fan.step), of: parent)
  }
}

extension RunTree {
  /// True if at most one block is left, which is at its end, so that no step is open.
  var isAtEnd: Bool { scopes.count <= 1 && bookkeepingCount == 0 && usersCount == 0 }

  var delayedAttempts: [(work: RunWork, number: Int)] {
    attempts.all.compactMap { $0.value.stage == .delayed ? ($0.value.work, $0.value.number) : nil }
  }

  /// The number of ended items in groups whose number of items is unknown; `nil` if there are no such groups.
  var uncountedItems: Int? {
    scopes.all.reduce(nil) { count, scope in
      guard case .fan(let fan) = scope.value.kind, let ended = fan.uncountedItems else { return count }
      return (count ?? 0) + ended
    }
  }

  /// Returns the done share of the run, from 0 to 1.
  ///
  /// It includes what running work reports, by the scope from which the work was claimed.
  func fraction(reported: [(ScopeID, Double)]) -> Double {
    /// The share of the whole run that a scope's running child has.
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
  /// All scopes, each after those around it, in an order that doesn't depend on when they began.
  var outermostFirst: [(id: ScopeID, value: RunScope)] { all.sorted { $0.value.order < $1.value.order } }
}
