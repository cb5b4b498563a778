/// Something at work in a run that contains others; the tree of scopes is the run's position.
///
/// It holds no references, so changing it is moving a few bytes.
struct RunScope: Sendable {
  enum Kind: Sendable {
    case block(BlockScope)
    case fan(FanScope)
    /// Kept apart, because they are large and hold references.
    case attempts(SlabID, isOffered: Bool)
  }

  var kind: Kind
  let parent: ScopeID?
  let depth: Int32
  var isQueued = false

  /// What orders scopes: those that lie within others come later.
  var order: (depth: Int32, place: Int) {
    switch kind {
    case .block(let block): (depth, block.block)
    case .fan(let fan): (depth, fan.step)
    case .attempts: (depth, 0)
    }
  }

  /// How much sooner than others what it offers starts.
  func precedence(in blueprint: Blueprint, _ attempts: Slab<AttemptScope>) -> Int {
    let step: Blueprint.StepID? =
      switch kind {
      case .block(let block): block.offered?.step
      case .fan(let fan): fan.step
      case .attempts(let place, _): attempts[place]?.work.step
      }
    return step.map(blueprint.precedence) ?? 0
  }

  /// Whether it still offers something; otherwise it leaves its queue.
  mutating func staysQueued() -> Bool {
    isQueued =
      switch kind {
      case .block(let block): block.offered != nil
      case .fan(let fan): fan.claimableCount > 0
      case .attempts(_, let isOffered): isOffered
      }
    return isQueued
  }

  /// The work of a block or a fan that is claimed next, and how much less of a user's work is offered then; it leaves its
  /// queue if it offers nothing more.
  mutating func claimNext() -> (work: RunWork, fewer: Int, staysQueued: Bool)? {
    switch kind {
    case .block(var block):
      guard let work = block.claim() else { return nil }
      kind = .block(block)
      isQueued = false
      return (work, work.isBookkeeping ? 0 : 1, false)
    case .fan(var fan):
      let count = fan.claimableCount
      guard let work = fan.claim() else { return nil }
      let left = fan.claimableCount
      kind = .fan(fan)
      isQueued = left > 0
      return (work, count - left, isQueued)
    case .attempts: return nil
    }
  }

  /// Changes a block in place; `nil` if the scope is something else.
  @discardableResult
  mutating func changeBlock<Result>(_ change: (inout BlockScope) -> Result) -> Result? {
    guard case .block(var block) = kind else { return nil }
    defer { kind = .block(block) }
    return change(&block)
  }
}

struct RunOffer: Sendable {
  let ticket: WorkTicket
  let work: RunWork
  var attempt = 1
  /// The timers that stop and start with it, in order; `nil` for nearly all work, which has no time limit.
  var timers: [RunEffect]?
}

typealias ScopeID = SlabID

package typealias TimerID = SlabID

/// What the shell has to do after an input, besides offering the work that is claimable.
package enum RunEffect: Sendable, Hashable {
  case cancel(WorkTicket)
  /// Settle what has timed out as failed, without waiting for its end any longer.
  case abandon(WorkTicket)
  case start(TimerID, Duration)
  case stop(TimerID)
  /// An item is cut off between two attempts, and its result is handed on under this ticket.
  case handOn(WorkTicket, RunWork, attempt: Int)
  /// An item failed in a group that tolerates no more failures: nothing more of the group starts.
  case groupStopped(Blueprint.StepID)
  /// A failure is not followed by another attempt, because the run's retry budget is spent.
  case retryDenied(Blueprint.StepID)
  /// A part of the run is at its end: the steps within a block, but for what blocks that have begun have for the end.
  case partEnded(Blueprint.BlockID, begun: Set<Blueprint.BlockID>)
  /// The branch that a cases step has taken is at its end, and the step with it.
  case combined(Blueprint.StepID)
  /// A step that was open when it was cut off has ended, because nothing within it is at work any more.
  case closed(Blueprint.StepID)

  var isTimer: Bool {
    switch self {
    case .start, .stop: true
    case .cancel, .abandon, .handOn, .groupStopped, .retryDenied, .partEnded, .combined, .closed: false
    }
  }
}

/// A block at work: its steps run one after the other.
struct BlockScope: Sendable {
  enum Role: Sendable, Hashable {
    /// The steps of the run, or steps that always run.
    case plain
    /// The branch that a cases step has taken.
    case cases(Blueprint.StepID)
    /// The steps of a flow that is a step.
    case flow(Blueprint.StepID)
    /// One of the branches of a parallel step.
    case branch
  }

  let block: Blueprint.BlockID
  let role: Role
  private var next = 0
  /// The weight of the steps that are done, not counting the current one.
  private var doneWeight = 0
  /// The work of the block itself that is offered or claimed; `nil` while a scope within it is at work.
  private(set) var work: RunWork?
  private(set) var isClaimed = false

  init(_ block: Blueprint.BlockID, _ role: Role) { (self.block, self.role) = (block, role) }

  var offered: RunWork? { isClaimed ? nil : work }

  /// Moves to the next step; `nil` after the last one.
  mutating func advance(in blueprint: Blueprint) -> Blueprint.StepID? {
    let steps = blueprint.blocks[block].steps
    guard next < steps.count else { return nil }
    let step = steps[next]
    if next > 0 { doneWeight += blueprint.steps[steps[next - 1]].weight }
    next += 1
    return step
  }

  mutating func offer(_ work: RunWork) {
    self.work = work
    isClaimed = false
  }

  mutating func claim() -> RunWork? {
    defer { isClaimed = true }
    return offered
  }

  /// A scope within the block is at work on the current step.
  mutating func wait() {
    work = nil
    isClaimed = false
  }

  /// The step whose steps these are, unless its end has been claimed.
  var openHolder: Blueprint.StepID? {
    switch role {
    case .plain, .branch: return nil
    case .cases(let step): return step
    case .flow(let step):
      return isClaimed && work == RunWork(.leave, of: step) ? nil : step
    }
  }

  /// The step within the block of which only the end is left, which has not been claimed.
  var openStep: Blueprint.StepID? {
    guard let offered, let step = offered.step else { return nil }
    return offered.kind == .collect || offered.kind == .leave && role != .flow(step) ? step : nil
  }

  /// How much of the block is done, from 0 to 1; the current step counts only if all of its work has settled.
  func doneFraction(in blueprint: Blueprint) -> Double {
    let done = fraction(doneWeight, in: blueprint)
    guard let work, work.kind == .leave || work.kind == .collect else { return done }
    return work.step.map { role == .flow($0) } == true ? 1 : done + currentFraction(in: blueprint)
  }

  /// How much of the block the current step is.
  func currentFraction(in blueprint: Blueprint) -> Double {
    guard next > 0 else { return 0 }
    return fraction(blueprint.steps[blueprint.blocks[block].steps[next - 1]].weight, in: blueprint)
  }

  private func fraction(_ weight: Int, in blueprint: Blueprint) -> Double {
    let whole = blueprint.blocks[block].weight
    return whole > 0 ? Double(weight) / Double(whole) : 0
  }
}

/// Scopes that have work to offer, the longest waiting first; usually there is one.
struct ReadyQueue: Sendable {
  private var first: ScopeID?
  private var others = Fifo<ScopeID>()

  mutating func append(_ id: ScopeID) {
    if first == nil { first = id } else { others.append(id) }
  }

  /// The scope that has waited longest; those that no longer offer anything are dropped.
  mutating func firstReady(in scopes: inout Slab<RunScope>) -> ScopeID? {
    while let id = first {
      if scopes.update(id, { $0.staysQueued() }) == true { return id }
      removeFirst()
    }
    return nil
  }

  mutating func popFirst() -> ScopeID? {
    defer { removeFirst() }
    return first
  }

  mutating func removeFirst() { first = others.count > 0 ? others.popFirst() : nil }

  mutating func rotate() {
    guard others.count > 0, let id = first else { return }
    removeFirst()
    append(id)
  }
}

/// Scopes that have work to offer, by the precedence of that, which stays the same for as long as they are queued.
struct RankedQueue: Sendable {
  /// Those of each precedence, the highest first.
  private var ranks: [(precedence: Int, scopes: ReadyQueue)] = []

  mutating func append(_ id: ScopeID, precedence: Int) {
    let rank = ranks.firstIndex { $0.precedence <= precedence } ?? ranks.count
    if rank == ranks.count || ranks[rank].precedence < precedence {
      ranks.insert((precedence, ReadyQueue()), at: rank)
    }
    ranks[rank].scopes.append(id)
  }

  /// Removes the scope with the highest precedence; of several, the one that has waited longest.
  ///
  /// Those before it that no longer offer anything are dropped.
  mutating func popFirstReady(in scopes: inout Slab<RunScope>) -> ScopeID? {
    for rank in ranks.indices {
      if let id = ranks[rank].scopes.firstReady(in: &scopes) {
        ranks[rank].scopes.removeFirst()
        return id
      }
    }
    return nil
  }
}
