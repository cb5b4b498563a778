/// A lane that is a task: it performs work like any lane, and awaits what is asynchronous.
///
/// A task can't be made uncancelled. So if its work is cancelled, the lane ends with it, and another one takes over.
/// A cancel names the work that it means, because the lane may be doing other work by then.
///
/// If lanes have threads of their own (`ThreadPool`), it runs on these, which may be blocked. Otherwise it runs on the
/// language's pool, performs asynchronous closures only, and leaves all other work to the run's queue.
final class TaskLane: RunAwaiting, LaneWork, @unchecked Sendable {
  // Invariant: `next`, `end`, `count` and `mustYield` are used by `start` before the task begins, and afterwards
  // by the task alone, so the language need not check for overlapping accesses. The others are read and written under the
  // lock of the run's state only, so that going on takes no other lock.
  /// What the lane awaits next.
  @exclusivity(unchecked) private var next: AwaitedWork?
  /// What has become of what it awaited.
  @exclusivity(unchecked) private var end: AwaitedWork.End?
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var mustYield = false
  /// The work that can be cancelled.
  private var ticket: WorkTicket?
  private var task: Task<Void, Never>?
  private var isCancelled = false

  /// How often a lane goes on before it lets other tasks have the thread.
  private static let turn = 64

  private let engine: RunEngine

  private init(_ engine: RunEngine) { self.engine = engine }

  static func start(_ engine: RunEngine, with work: AwaitedWork) {
    let lane = TaskLane(engine)
    lane.next = work
    engine.tasks.spawn(asLane: true) {
      await lane.run()
    } started: { task in
      engine.state.withLock { _ in lane.task = task }
      // It is taken from the lane, because this closure may outlive the work, and must not hold a group's item.
      if let work = lane.next { lane.track(work) }
    }
  }

  /// Starts the first lane of a run where the run is started: later tasks inherit from it what they would inherit there.
  static func startFirst(_ engine: RunEngine) {
    let lane = TaskLane(engine)
    let task = LaneExecutor.startTask(of: lane)
    // It may be at work already.
    let isCancelled = engine.state.withLock { _ in
      lane.task = task
      return lane.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Awaits some work once the lane has performed what it performs now.
  func await(_ work: consuming AwaitedWork) {
    track(work)
    next = work
  }

  /// Lets the run cancel some work through the lane.
  private func track(_ work: borrowing AwaitedWork) {
    let (ticket, operation) = (work.ticket, work.operation)
    let isStopping = engine.state.withLock { state in
      self.ticket = ticket
      guard operation == nil else { return false }
      if state.machine.work(of: ticket) != nil { state.running.track(.lane(self, ticket), ticket) }
      return state.machine.isStopping(ticket)
    }
    // The run knows the operation.
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

  /// Not inlined, as little here is: a waiting task keeps room for all that its functions ever have in hand.
  @inline(never)
  private nonisolated(nonsending) func run() async {
    repeat {
      if mustYield {
        mustYield = false
        await Task.yield()
      }
      await performNext()
    } while goOn()
  }

  /// Separate, so that a group's item is freed before its end counts and another one takes its place.
  private nonisolated(nonsending) func performNext() async { await next.take()?.perform(self) }

  /// Performs work from the beginning of the run, and starts tasks for other lanes when there is none for this one.
  nonisolated(nonsending) func perform() async {
    engine.runLane(in: self)
    await run()
    await takeJobs()
  }

  /// Starts tasks for other lanes, or performs their work, until the run is over.
  @inline(never)
  private nonisolated(nonsending) func takeJobs() async {
    let tasks = engine.state.withLock { [mayBlock = engine.lanesMayBlock] state in
      state.machine.hasEnded ? nil : state.rareOrNew.tasksOrNew(lanesMayBlock: mayBlock)
    }
    // It is missing if the thread that has started the lane hasn't got it yet.
    if let tasks { await tasks.takeJobs(by: engine.state.withLock { _ in self.task }) }
  }

  /// Counts what it has awaited; after some of it, it is another task's turn.
  private func countTurn() {
    count += 1
    if count % Self.turn == 0, !engine.lanesMayBlock { mustYield = true }
  }

  /// Settles what was awaited, and performs more work until there is some to await; false if the lane ends.
  @inline(never)
  private func goOn() -> Bool {
    guard let claim = takeNext() else { return false }
    countTurn()
    engine.runLane(from: claim, in: self)
    return true
  }

  /// Separate, so that the end is freed before more work is performed.
  @inline(never)
  private func takeNext() -> RunClaim? {
    guard let end = end.take() else { return nil }
    let isCancelled = engine.state.withLock { _ in
      ticket = nil
      return self.isCancelled
    }
    return end.settle(in: engine, goesOn: !isCancelled && !Task.isCancelled && engine.probe == nil)
  }

  // MARK: What becomes of what was awaited

  func ended(_ end: AwaitedWork.End) { self.end = end }

  func ended(_ context: FlowContext, output: (any Sendable)?) {
    ended(AwaitedWork.End(ticket: context.ticket, source: context.source, settlement: .succeeded, output: output))
  }

  @inline(never)
  func ended(_ context: FlowContext, _ error: any Error) {
    let settlement = Task.isCancelled ? .cancelled : Settlement(error)
    ended(AwaitedWork.End(ticket: context.ticket, source: context.source, settlement: settlement))
  }

  /// Whether it may perform some work itself: on a thread that must not be blocked, asynchronous closures only.
  func mayPerform(_ claim: RunClaim) -> Bool {
    if engine.lanesMayBlock { return true }
    return claim.work.isAttempt && claim.work.step.map { engine.blueprint.claimFacts[$0].isAsyncClosure } == true
  }
}
