/// A lane that is a task: it performs work like any lane, and awaits what is asynchronous.
///
/// A task can't be made uncancelled. So if its work is cancelled, the lane ends with it, and another one takes over.
/// Whoever cancels some work names it, because the lane may be doing other work by then.
///
/// Its thread may be blocked, as that of any lane, if the system has executors for tasks; if not, it performs asynchronous
/// closures only, and leaves all other work to the run's queue.
final class TaskLane: Sendable {
  private struct State: Sendable {
    /// What the lane awaits next.
    var next: AwaitedWork?
    /// The work that can be cancelled.
    var ticket: WorkTicket?
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  /// How often a lane goes on before it lets other tasks have the thread.
  private static let turn = 64

  private let engine: RunEngine
  private let state = Locked(State())

  private init(_ engine: RunEngine) { self.engine = engine }

  /// Starts a lane with work that it awaits first.
  static func start(_ engine: RunEngine, with work: AwaitedWork) {
    let lane = TaskLane(engine)
    lane.state.withLock { ($0.next, $0.ticket) = (work, work.ticket) }
    engine.tasks.spawn(asLane: true) {
      await lane.run()
    } started: { task in
      lane.state.withLock { $0.task = task }
      work.track(in: lane, engine)
    }
  }

  /// Awaits some work once the lane has performed what it performs now.
  func await(_ work: AwaitedWork) {
    state.withLock { ($0.next, $0.ticket) = (work, work.ticket) }
    work.track(in: self, engine)
  }

  /// Cancels some work, unless it has ended.
  func cancel(_ ticket: WorkTicket) {
    let task = state.withLock { state -> Task<Void, Never>? in
      guard state.ticket == ticket else { return nil }
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  // MARK: Running

  private func run() async {
    var count = 0
    while let claim = await finishNext() {
      perform(claim)
      count += 1
      if count % Self.turn == 0, !TaskSpawner.lanesMayBlock { await Task.yield() }
    }
  }

  /// Awaits the work at hand and settles it.
  private func finishNext() async -> RunClaim? {
    guard let end = await endOfNext() else { return nil }
    let isCancelled = state.withLock { state in
      state.ticket = nil
      return state.isCancelled
    }
    return end.settle(in: engine, goesOn: !isCancelled && !Task.isCancelled && engine.probe == nil)
  }

  /// Separate, so that a group's item is freed before its end counts and another one takes its place.
  private func endOfNext() async -> AwaitedWork.End? { await state.withLock { $0.next.take() }?.perform() }

  /// Performs work until there is none, or until there is something to await.
  private func perform(_ claim: RunClaim) {
    if TaskSpawner.lanesMayBlock || isAsyncClosure(claim.work) {
      engine.runLane(from: claim, in: self)
    } else {
      engine.continueLane(with: claim)
    }
  }

  private func isAsyncClosure(_ work: RunWork) -> Bool {
    work.isAttempt && work.step.map(engine.blueprint.isAsyncClosure) == true
  }
}
