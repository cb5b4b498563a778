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
    /// The same, because an item failed in a group that tolerates no failure.
    case stopGroup
  }

  private let blueprint: Blueprint
  private var phase = Phase.notBegun
  /// Where the run stands: the open blocks from the outermost in, each with the index of its next step.
  private var position: [(block: Blueprint.BlockID, next: Int)] = []
  /// Claimed, and not settled yet.
  private(set) var runningCount = 0
  private(set) var stepCount = 0
  /// How the run ends, decided by the first failure, cancellation, or last step.
  private(set) var ending: Settlement?
  var isPaused = false

  init(_ blueprint: Blueprint) {
    self.blueprint = blueprint
  }

  /// Whether the end is decided: what is about to start should not.
  var isStopping: Bool { ending != nil }

  var hasEnded: Bool { if case .ended = phase { true } else { false } }

  // MARK: Inputs

  mutating func begin() {
    guard case .notBegun = phase else { return }
    guard ending == nil else { return drain() }
    position = [(Blueprint.root, 0)]
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
    switch phase {
    case .single(let work, _):
      phase = .single(work, isClaimed: true)
      runningCount += 1
      return work
    case .group(var group):
      let work = group.claim()
      phase = .group(group)
      runningCount += 1
      return work
    case .notBegun, .draining, .ended:
      return nil
    }
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
      return settleItem(of: group, result)
    case .single, .notBegun, .ended:
      settleSingle(work, result)
      return .none
    }
  }

  // MARK: Decisions

  private mutating func settleSingle(_ work: RunWork, _ result: RunResult) {
    switch result {
    case .settled(.succeeded): advance()
    case .settled(let settlement): end(settlement)
    case .chosen(nil): end(.succeeded)
    case .chosen(let block?):
      position.append((block, 0))
      advance()
    case .planned(let count, let width, let toleratesFailure):
      guard let step = work.step else { return }
      proceed(GroupProgress(step: step, count: count, width: width, toleratesFailure: toleratesFailure))
    }
  }

  private mutating func settleItem(of group: GroupProgress, _ result: RunResult) -> Reaction {
    var group = group
    group.settle()
    if case .settled(let settlement) = result, settlement.error != nil, !group.toleratesFailure {
      end(settlement)
      return .stopGroup
    }
    proceed(group)
    return .none
  }

  private mutating func proceed(_ group: GroupProgress) {
    phase = group.isFinished ? .single(.collect(group.step), isClaimed: false) : .group(group)
  }

  /// Moves to the next step; past the last of the outermost block the run has succeeded.
  private mutating func advance() {
    while let last = position.indices.last {
      let (block, next) = position[last]
      guard next < blueprint.blocks[block].steps.count else {
        position.removeLast()
        continue
      }
      position[last].next += 1
      let step = blueprint.blocks[block].steps[next]
      stepCount += 1
      phase = .single(firstWork(of: step), isClaimed: false)
      return
    }
    end(.succeeded)
  }

  private func firstWork(of step: Blueprint.StepID) -> RunWork {
    switch blueprint.steps[step].kind {
    case .operation: .operation(step)
    case .group: .plan(step)
    case .cases: .choose(step)
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
