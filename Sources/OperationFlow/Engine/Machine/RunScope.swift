/// A running part of a run: a block, a fan or attempts; the tree of scopes is the run's position.
///
/// It contains no references, so a change only moves a few bytes.
struct RunScope: Sendable {
  enum Kind: Sendable {
    case block(BlockScope)
    case fan(FanScope)
    /// Stored in a slab of their own, because they are large and contain references.
    case attempts(SlabID, isOffered: Bool)
  }

  var kind: Kind
  let parent: ScopeID?
  let depth: Int32
  var isQueued = false

  /// The sort order of scopes: each after those around it.
  var order: (depth: Int32, place: Int) {
    switch kind {
    case .block(let block): (depth, block.block)
    case .fan(let fan): (depth, fan.step)
    case .attempts: (depth, 0)
    }
  }

  /// Returns the precedence of the work that the scope offers; higher ones start first.
  func precedence(in blueprint: Blueprint, _ attempts: Slab<AttemptScope>) -> Int {
    let step: Blueprint.StepID? =
      switch kind {
      case .block(let block): block.offered?.step
      case .fan(let fan): fan.step
      case .attempts(let place, _): attempts[place]?.work.step
      }
    return step.map(blueprint.precedence) ?? 0
  }

  /// Returns true if the scope still offers something; otherwise it leaves its queue.
  mutating func staysQueued() -> Bool {
    isQueued =
      switch kind {
      case .block(let block): block.offered != nil
      case .fan(let fan): fan.claimableCount > 0
      case .attempts(_, let isOffered): isOffered
      }
    return isQueued
  }

  /// Claims the next work of a block or a fan; the scope leaves its queue if it offers nothing more.
  ///
  /// `fewer` is the number by which the user work on offer has dropped. Attempts aren't claimed here: the result is
  /// `nil`.
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
  /// The timers that start with it, in order; `nil` for nearly all work, which has no time limit.
  var timers: [RunEffect]?
}

typealias ScopeID = SlabID

package typealias TimerID = SlabID

/// An action that the engine carries out after an input, besides adding lanes for the work that can be claimed.
package enum RunEffect: Sendable, Hashable {
  case cancel(WorkTicket)
  /// Settle work that timed out as failed, without waiting for its end any longer.
  case abandon(WorkTicket)
  case start(TimerID, Duration)
  case stop(TimerID)
  /// Deliver, under this ticket, the result of an item that was cut off between two attempts.
  case deliver(WorkTicket, RunWork, attempt: Int)
  /// Record that too many items of a group have failed: nothing more of the group starts.
  case groupStopped(Blueprint.StepID)
  /// Record that no attempt follows a failure, because the run's retry budget is used up.
  case retryDenied(Blueprint.StepID)
  /// End the operations of a block that can't begin any more; the `always` blocks of `begun` blocks still can.
  case partEnded(Blueprint.BlockID, begun: Set<Blueprint.BlockID>)
  /// Close a cases step, whose branch has ended.
  case combined(Blueprint.StepID)
  /// Close a step that was open when it was cut off: nothing within it runs any more.
  case closed(Blueprint.StepID)

  var isTimer: Bool {
    switch self {
    case .start, .stop: true
    case .cancel, .abandon, .deliver, .groupStopped, .retryDenied, .partEnded, .combined, .closed: false
    }
  }
}

/// A running block: its steps run one after the other.
struct BlockScope: Sendable {
  enum Role: Sendable, Hashable {
    /// The steps of the run, or an `always` block.
    case plain
    /// The chosen branch of a cases step.
    case cases(Blueprint.StepID)
    /// The steps of a flow that is a step.
    case flow(Blueprint.StepID)
    /// One of the branches of a parallel step.
    case branch
  }

  let block: Blueprint.BlockID
  let role: Role
  private var next = 0
  /// The weight of the steps that are done, without the current one.
  private var doneWeight = 0
  /// The work of the block itself that is offered or claimed; `nil` while a scope within it runs.
  private(set) var work: RunWork?
  private(set) var isClaimed = false

  init(_ block: Blueprint.BlockID, _ role: Role) { (self.block, self.role) = (block, role) }

  var offered: RunWork? { isClaimed ? nil : work }

  /// Returns the next step; `nil` after the last one.
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

  /// Waits for a scope within the block, which runs the current step.
  mutating func wait() {
    work = nil
    isClaimed = false
  }

  /// The cases step or the flow that the block belongs to, unless its end has been claimed.
  var openHolder: Blueprint.StepID? {
    switch role {
    case .plain, .branch: return nil
    case .cases(let step): return step
    case .flow(let step):
      return isClaimed && work == RunWork(.leave, of: step) ? nil : step
    }
  }

  /// The group or parallel step within the block whose only remaining work is its end, which hasn't been claimed.
  var openStep: Blueprint.StepID? {
    guard let offered, let step = offered.step else { return nil }
    return offered.kind == .collect || offered.kind == .leave && role != .flow(step) ? step : nil
  }

  /// Returns the done share of the block, from 0 to 1; the current step counts only if all of its work has settled.
  func doneFraction(in blueprint: Blueprint) -> Double {
    let done = fraction(doneWeight, in: blueprint)
    guard let work, work.kind == .leave || work.kind == .collect else { return done }
    return work.step.map { role == .flow($0) } == true ? 1 : done + currentFraction(in: blueprint)
  }

  /// Returns the current step's share of the block.
  func currentFraction(in blueprint: Blueprint) -> Double {
    guard next > 0 else { return 0 }
    return fraction(blueprint.steps[blueprint.blocks[block].steps[next - 1]].weight, in: blueprint)
  }

  private func fraction(_ weight: Int, in blueprint: Blueprint) -> Double {
    let whole = blueprint.blocks[block].weight
    return whole > 0 ? Double(weight) / Double(whole) : 0
  }
}

/// Scopes that have work to offer, the longest waiting first; usually there is only one.
struct ReadyQueue: Sendable {
  private var first: ScopeID?
  private var others = Fifo<ScopeID>()

  mutating func append(_ id: ScopeID) {
    if first == nil { first = id } else { others.append(id) }
  }

  /// Returns the scope that has waited longest, and drops those before it that no longer offer anything.
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

/// Scopes that have work to offer, by its precedence, which doesn't change while they are queued.
struct RankedQueue: Sendable {
  /// The queue of each precedence, the highest first.
  private var ranks: [(precedence: Int, scopes: ReadyQueue)] = []

  mutating func append(_ id: ScopeID, precedence: Int) {
    let rank = ranks.firstIndex { $0.precedence <= precedence } ?? ranks.count
    if rank == ranks.count || ranks[rank].precedence < precedence {
      ranks.insert((precedence, ReadyQueue()), at: rank)
    }
    ranks[rank].scopes.append(id)
  }

  /// Removes and returns the scope with the highest precedence; among several, the one that has waited longest.
  ///
  /// Scopes before it that no longer offer anything are dropped.
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
