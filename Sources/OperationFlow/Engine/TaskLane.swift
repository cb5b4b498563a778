/// A lane that is a task: it performs work like any lane, and awaits what is asynchronous.
///
/// A task can't be made uncancelled. So if its work is cancelled, the lane ends with it, and another one takes over.
/// A cancel names the work that it means, because the lane may be doing other work by then.
///
/// If lanes have threads of their own (`ThreadPool`), it runs on these, which may be blocked. Otherwise it runs on the
/// language's pool, performs asynchronous closures only, and leaves all other work to the run's queue.
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
      // It is taken from the lane, because this closure may outlive the work, and must not hold a group's item.
      let work = lane.state.withLock { state in
        state.task = task
        return state.next
      }
      work?.track(in: lane, engine)
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

  private nonisolated(nonsending) func run() async {
    var count = 0
    while goOn(after: await endOfNext()) {
      count += 1
      if count % Self.turn == 0, !engine.tasks.lanesMayBlock { await Task.yield() }
    }
  }

  /// Settles what was awaited, and performs more work until there is some to await; false if the lane ends.
  ///
  /// Not inlined, because a waiting task keeps room for all that its function ever has in hand.
  @inline(never)
  private func goOn(after end: consuming AwaitedWork.End?) -> Bool {
    guard let claim = settle(end) else { return false }
    engine.runLane(from: claim, in: self)
    return true
  }

  /// Separate, so that the end is freed before more work is performed.
  @inline(never)
  private func settle(_ end: consuming AwaitedWork.End?) -> RunClaim? {
    guard let end else { return nil }
    let isCancelled = state.withLock { state in
      state.ticket = nil
      return state.isCancelled
    }
    return end.settle(in: engine, goesOn: !isCancelled && !Task.isCancelled && engine.probe == nil)
  }

  /// Separate, so that a group's item is freed before its end counts and another one takes its place.
  private nonisolated(nonsending) func endOfNext() async -> AwaitedWork.End? {
    await state.withLock { $0.next.take() }?.perform()
  }

  /// Whether it may perform some work itself: on a thread that must not be blocked, asynchronous closures only.
  func mayPerform(_ claim: RunClaim) -> Bool {
    if engine.tasks.lanesMayBlock { return true }
    return claim.work.isAttempt && claim.work.step.map(engine.blueprint.isAsyncClosure) == true
  }
}
