/// What a run does next, as a plain value: no locks, no threads, no clock, and no user's code.
///
/// Lanes claim work and settle it, each claim exactly once; in between anything may happen in any order. The run ends
/// when `.finish` has been claimed and settled, which comes last and once.
struct RunStateMachine: Sendable {
  private enum Phase: Sendable {
    case notBegun
    /// One piece of work is ready, or is being done.
    case single(RunWork, isClaimed: Bool)
    case group(GroupProgress)
    /// The end is decided, and what was claimed has to settle first.
    case draining
    case ended
  }

  /// What the shell has to do beside offering the work that is claimable.
  enum Reaction: Sendable, Hashable {
    case none
    /// Cancel whatever runs.
    case cancelRunning
    /// The same, because an item failed in a group that tolerates no more failures.
    case stopGroup
  }

  private let blueprint: Blueprint
  private var phase = Phase.notBegun
  private var position = RunPosition()
  /// Claimed, and not settled yet.
  private(set) var runningCount = 0
  /// How many steps have begun; a group counts as one.
  private(set) var stepCount = 0
  /// How the run ends, decided by the first failure, cancellation, or last step.
  private(set) var ending: Settlement?
  var isPaused = false

  init(_ blueprint: Blueprint) {
    self.blueprint = blueprint
  }

  /// Whether the end is decided: what is about to start should not.
  var isStopping: Bool { ending != nil }

  /// The flows that are steps and have not ended, the innermost first.
  var openFlows: [Blueprint.StepID] { position.openFlows }

  var hasEnded: Bool { if case .ended = phase { true } else { false } }

  // MARK: Inputs

  mutating func begin() {
    guard case .notBegun = phase else { return }
    guard ending == nil else { return drain() }
    position.enter(Blueprint.root, of: nil)
    advance()
  }

  /// Decides that the run ends as cancelled, unless its end is decided already.
  mutating func cancel() -> Reaction {
    guard ending == nil else { return .none }
    ending = .cancelled
    if case .notBegun = phase { return .none }
    drain()
    return .cancelRunning
  }

  /// Decides, before the run begins, that it fails without running anything.
  mutating func refuse(_ error: FlowError) {
    if case .notBegun = phase { ending = .failed(error) }
  }

  /// How much work a lane could claim now.
  var claimableCount: Int {
    switch phase {
    case .single(let work, isClaimed: false): isPaused && !work.isBookkeeping ? 0 : 1
    case .group(let group): isPaused ? 0 : group.claimableCount
    case .notBegun, .single, .draining, .ended: 0
    }
  }

  mutating func claim() -> RunWork? {
    guard claimableCount > 0 else { return nil }
    var claimed: RunWork?
    switch phase {
    case .single(let work, _):
      phase = .single(work, isClaimed: true)
      claimed = work
      if work.beginsStep { stepCount += 1 } else if case .leave = work { position.leaveFlow() }
    case .group(var group):
      claimed = group.claim()
      phase = .group(group)
    case .notBegun, .draining, .ended: break
    }
    if claimed != nil { runningCount += 1 }
    return claimed
  }

  /// Takes the result of a piece of work that was claimed.
  mutating func settle(_ work: RunWork, _ result: RunResult) -> Reaction {
    runningCount -= 1
    switch phase {
    case .single(.finish, _):
      phase = .ended
      return .none
    case .draining:
      drain()
      return .none
    case .group(let group):
      return settle(work, of: group, result)
    case .single, .notBegun, .ended:
      settleSingle(work, result)
      return .none
    }
  }

  /// How much of the run is done, from 0 to 1.
  ///
  /// What runs says itself how far it has come: `reported` is one operation's fraction, or the sum of a group's.
  func fraction(reported: Double) -> Double {
    if case .succeeded = ending { return 1 }
    var inner = 0.0
    switch phase {
    case .single(.collect, _), .single(.leave, _): inner = 1
    case .single(.step, _): inner = reported
    case .group(let group):
      inner = group.fraction == nil ? 0 : (Double(group.endedCount) + reported) / Double(max(1, group.count))
    case .single, .notBegun, .draining, .ended: break
    }
    return position.fraction(in: blueprint, inner: min(1, inner))
  }

  // MARK: Decisions

  private mutating func settleSingle(_ work: RunWork, _ result: RunResult) {
    switch (result, work) {
    case (.settled(.succeeded), _): advance()
    case (.settled(let settlement), _): end(settlement)
    case (.chosen(nil), _): endEarly()
    case (.chosen(let block?), _):
      position.enter(block, of: nil)
      advance()
    case (.entered(let block), .enter(let step)):
      position.enter(block, of: step)
      advance()
    case (.planned(let count, let width, let tolerance), .plan(let step)):
      proceed(GroupProgress(step: step, count: count, width: width, tolerance: tolerance))
    case (.planned, _), (.entered, _), (.pulled, _): break
    }
  }

  private mutating func settle(_ work: RunWork, of group: GroupProgress, _ result: RunResult) -> Reaction {
    var group = group
    switch (work, result) {
    case (_, .pulled(let isItem)):
      group.pulled(isItem)
    case (.item, .settled(let settlement)):
      guard group.settle(failed: settlement.error != nil) else {
        end(settlement)
        return .stopGroup
      }
    case (_, .settled(let settlement)):
      // The items themselves could not be had: that is no item's failure, and is never tolerated.
      end(settlement)
      return .cancelRunning
    default: break
    }
    proceed(group)
    return .none
  }

  private mutating func proceed(_ group: GroupProgress) {
    phase = group.isFinished ? .single(.collect(group.step), isClaimed: false) : .group(group)
  }

  /// Moves to the next step; past the last of the outermost block the run has succeeded.
  private mutating func advance() {
    switch position.advance(in: blueprint) {
    case .step(let step):
      phase = .single(firstWork(of: step), isClaimed: false)
    case .leave(let step): phase = .single(.leave(step), isClaimed: false)
    case .end: end(.succeeded)
    }
  }

  /// No branch fits: the flow, or the flow that is a step and holds the cases, ends here as a success.
  private mutating func endEarly() {
    if let step = position.endFlow() {
      phase = .single(.leave(step), isClaimed: false)
    } else {
      end(.succeeded)
    }
  }

  private func firstWork(of step: Blueprint.StepID) -> RunWork {
    switch blueprint.steps[step].kind {
    case .operation, .closure: .step(step)
    case .group: .plan(step)
    case .cases: .choose(step)
    case .flow: .enter(step)
    }
  }

  private mutating func end(_ ending: Settlement) {
    if self.ending == nil { self.ending = ending }
    drain()
  }

  /// Ends once everything that was claimed has settled.
  private mutating func drain() {
    phase = runningCount == 0 ? .single(.finish, isClaimed: false) : .draining
  }
}
