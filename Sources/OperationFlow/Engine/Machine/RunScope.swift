/// Something at work in a run that contains others; the tree of scopes is the run's position.
///
/// It holds no references, so changing it is moving a few bytes.
struct RunScope: Sendable {
  enum Kind: Sendable {
    case block(BlockScope)
    case fan(ConcurrentScope)
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
      kind = .fan(fan)
      isQueued = fan.claimableCount > 0
      return (work, count - fan.claimableCount, isQueued)
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
}
