/// A lane that is a task: it claims and performs work like any lane, and awaits asynchronous work.
///
/// It runs on the language's pool, whose threads must not be blocked. It leaves work that may block to another thread,
/// and waits while that thread performs this work and what follows it, up to the next work to await.
///
/// A cancelled task can't be made uncancelled. So if its work is cancelled, the lane ends with that work, and another
/// lane continues. A cancel contains the ticket of its work, because the lane may be doing other work by then.
package final class TaskLane: RunAwaiting, @unchecked Sendable {
  // Invariant: `ticket`, `task` and `isCancelled` are read and written only under the lock of the run's state. The others
  // are used by `start` before the task begins, and afterwards only by the task, or by the thread that it waits for.
  /// The work that the lane awaits next.
  private var next: AwaitedWork?
  /// The end of the work that the lane has awaited.
  private var end: AwaitedWork.End?
  /// The work that the lane leaves to a thread next.
  private var left: ThreadWork?
  /// True while the lane waits for a thread that performs its work.
  private(set) var isOnThread = false
  private var count = 0
  /// The work that can be cancelled.
  private var ticket: WorkTicket?
  private var task: Task<Void, Never>?
  private var isCancelled = false

  /// Work for a thread, with the lane that waits for the thread, if there is one.
  typealias ThreadWork = @Sendable (TaskLane?) -> Void

  /// The number of pieces of work after which a lane yields its thread to other tasks.
  private static let turn = 512

  private let engine: RunEngine

  private init(_ engine: RunEngine) { self.engine = engine }

  /// Starts a lane that begins with some work to await, or otherwise with a claim.
  static func start(_ engine: RunEngine, with work: AwaitedWork? = nil) {
    let lane = TaskLane(engine)
    lane.next = work
    // The work is read from the lane, because both closures may outlive it, and must not retain a group's item.
    let claimsFirst = work == nil
    engine.tasks.spawn {
      await lane.run(claimsFirst: claimsFirst)
    } started: { task in
      engine.state.withLock { _ in lane.task = task }
      if let work = lane.next { lane.track(work) }
    }
  }

  /// Sets the work that the lane awaits after its present work; the run can cancel it through the lane.
  func await(_ work: consuming AwaitedWork) { next = work }

  /// Leaves work that may block to a thread, after the lane's present work.
  func leave(_ work: @escaping ThreadWork) {
    // A user's synchronous code may have cancelled the task, and other work must not appear to be cancelled.
    if Task.isCancelled { engine.addLane { work(nil) } } else { left = work }
  }

  /// Sets the work that a cancel of the lane applies to; called under the lock of the run's state.
  func track(_ ticket: WorkTicket) { self.ticket = ticket }

  /// Disconnects the lane from its work, so that no cancel reaches the lane; returns false if one has already.
  ///
  /// It is called under the lock of the run's state.
  func endsTracking() -> Bool {
    ticket = nil
    return !isCancelled
  }

  /// Connects the lane with some work, so that the run can cancel the work through it.
  func track(_ work: borrowing AwaitedWork) {
    let ticket = work.claim.ticket
    let operation = work.operation
    let isStopping = engine.state.withLock { state in
      track(ticket)
      guard operation == nil else { return false }
      state.claims[ticket]?.cancellable = .lane(self, ticket)
      return state.machine.isStopping(ticket)
    }
    // An operation itself passes a cancel on to the lane.
    if operation?.keepRun(self) ?? isStopping { cancelRun(ticket) }
  }

  func cancelRun(_ ticket: WorkTicket?) {
    let task = engine.state.withLock { _ -> Task<Void, Never>? in
      guard let ticket, self.ticket == ticket else { return nil }
      isCancelled = true
      return self.task
    }
    task?.cancel()
  }

  // MARK: Running

  private nonisolated(nonsending) func run(claimsFirst: Bool) async {
    if claimsFirst { engine.runLane(in: self) }
    while true {
      if let work = left.take() { await performOnThread(work) }
      guard next != nil else { return }
      await performNext()
      settle()
      count += 1
      if count % Self.turn == 0, next != nil { await Task.yield() }
    }
  }

  private nonisolated(nonsending) func performOnThread(_ work: @escaping ThreadWork) async {
    let gate = TaskGate()
    isOnThread = true
    engine.addLane {
      work(self)
      gate.open()
    }
    await gate.pass()
    isOnThread = false
  }

  /// Separate, so that a group's item is freed before its end counts and another item starts.
  private nonisolated(nonsending) func performNext() async { await next.take()?.perform(self) }

  /// Settles the awaited work, and performs more work until there is some to await; if there is none, the lane ends.
  private func settle() {
    if let claim = settleEnd() { engine.runLane(from: claim, in: self) }
  }

  /// Separate, so that the end is freed before more work is performed.
  private func settleEnd() -> Claim? {
    end.take()?.settle(in: engine, Task.isCancelled || engine.probe != nil ? .none : .task(self))
  }

  // MARK: The end of the awaited work

  func ended(_ end: AwaitedWork.End) { self.end = end }

  func ended(_ claim: Claim, _ source: FlowEvent.Source, output: (any Sendable)?) {
    ended(AwaitedWork.End(claim: claim, source: source, settlement: .succeeded, output: output))
  }

  func ended(_ claim: Claim, _ source: FlowEvent.Source, _ error: any Error) {
    let settlement = Task.isCancelled ? .cancelled : Settlement(error)
    ended(AwaitedWork.End(claim: claim, source: source, settlement: settlement))
  }
}

// The threads of work. Users' synchronous code may block its thread, so it has threads of its own. Asynchronous code
// and the run's own bookkeeping run on the language's pool.
extension RunEngine {
  /// True if work may block the thread that performs it.
  func mayBlock(_ work: RunWork) -> Bool {
    guard let step = work.step else { return false }
    switch work.kind {
    case .choose, .enter, .leave, .recover, .expire, .deliver, .finish: return false
    case .check: return true
    case .plan: return performer.group(step)?.planMayBlock ?? true
    case .collect: return performer.group(step)?.isDispatched ?? true
    // Items that need a thread are pulled there, too, so that they start in their order.
    case .pull: return performer.group(step).map { $0.pullsMayBlock || mayBlock($0) } ?? true
    case .step: return mayBlock(blueprint.steps[step].kind)
    case .item: return performer.group(step).map { mayBlock($0) } ?? true
    case .undo:
      if case .closure? = blueprint.steps[step].options?.undo?.work { return false }
      return true
    }
  }

  private func mayBlock(_ step: Blueprint.Step.Kind) -> Bool {
    switch step {
    case .operation(.factory(let type, _)): !type.onlyRuns
    case .operation(.instance(let instance)): instance.held.map { !OperationType.of(type(of: $0)).onlyRuns } ?? false
    case .closure(.async): false
    case .closure(.sync), .group, .cases, .flow, .parallel: true
    }
  }

  private func mayBlock(_ group: GroupStep) -> Bool {
    switch group.body {
    case .closure: true
    case .asyncClosure: false
    case .operation: group.creator.map { !OperationType.of($0).onlyRuns } ?? true
    }
  }

  /// True if the first work of the run can be performed in a task.
  var beginsAsynchronously: Bool {
    guard let first = blueprint.blocks[Blueprint.root].steps.first else { return false }
    return !blueprint.has(any: .condition, at: first) && !mayBlock(blueprint.steps[first].kind)
  }
}
