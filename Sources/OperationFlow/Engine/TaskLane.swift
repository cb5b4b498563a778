/// A lane that is a task: it performs work like any lane, and awaits what is asynchronous.
///
/// A task can't be made uncancelled. So if its work is cancelled, the lane ends with it, and another one takes over.
/// A cancel names the work that it means, because the lane may be doing other work by then.
///
/// If lanes have threads of their own (`ThreadPool`), it runs on these, which may be blocked. Otherwise it runs on the
/// language's pool, performs asynchronous closures only, and leaves all other work to the run's queue.
final class TaskLane: RunAwaiting, LaneWork, @unchecked Sendable {
  // Invariant: `next`, `result`, `count` and `mustYield` are used by `start` before the task begins, and afterwards
  // by the task alone, so the language need not check for overlapping accesses. The others are read and written under the
  // lock of the run's state only, so that going on takes no other lock.
  /// What the lane awaits next.
  @exclusivity(unchecked) private var next: AwaitedWork?
  /// What has become of what it awaited.
  @exclusivity(unchecked) private var result: Result?
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var mustYield = false
  /// The work that can be cancelled.
  private var ticket: WorkTicket?
  private var task: Task<Void, Never>?
  private var isCancelled = false

  /// One place for both, because each waiting run has it.
  private enum Result {
    /// It has ended, and has not settled.
    case end(AwaitedWork.End)
    /// It has settled the short way, and this comes next.
    case claim(RunClaim)
  }

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

  // MARK: The short way, under the lock of the run's state

  /// Whether the lane ends with what it awaits.
  @inline(__always)
  func isCancelled(_ state: borrowing RunState) -> Bool { isCancelled }

  /// Notes what it awaits next, if it can tell, so that a cancel from now on means that.
  @inline(__always)
  func goOn(to next: WorkTicket?, _ state: inout RunState) {
    ticket = next
    if let next { state.running.track(.lane(self, next), next) }
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

  /// Counts what it has awaited; true if it is another task's turn.
  private func isTurnOver() -> Bool {
    count += 1
    guard count % Self.turn == 0, !engine.lanesMayBlock else { return false }
    mustYield = true
    return true
  }

  /// Settles what was awaited, and performs more work until there is some to await; false if the lane ends.
  @inline(never)
  private func goOn() -> Bool {
    guard let claim = takeNext() else { return false }
    _ = isTurnOver()
    engine.runLane(from: claim, in: self)
    return true
  }

  /// Separate, so that the end is freed before more work is performed.
  @inline(never)
  private func takeNext() -> RunClaim? {
    switch result.take() {
    case .claim(let claim): return claim
    case .end(let end):
      let isCancelled = engine.state.withLock { _ in
        ticket = nil
        return self.isCancelled
      }
      return end.settle(in: engine, goesOn: !isCancelled && !Task.isCancelled && engine.probe == nil)
    case nil: return nil
    }
  }

  // MARK: What becomes of what was awaited

  func ended(_ end: AwaitedWork.End) { result = .end(end) }

  func ended(_ context: FlowContext, output: (any Sendable)?) {
    ended(AwaitedWork.End(ticket: context.ticket, source: context.source, settlement: .succeeded, output: output))
  }

  @inline(never)
  func ended(_ context: FlowContext, _ error: any Error) {
    let settlement = Task.isCancelled ? .cancelled : Settlement(error)
    ended(AwaitedWork.End(ticket: context.ticket, source: context.source, settlement: settlement))
  }

  /// Ends an item that has succeeded, and changes the context to the next one's; false if that can't be awaited now.
  @inline(never)
  func goOn(afterItem context: inout FlowContext, _ output: (any Sendable)?) -> Bool {
    guard mayGoOn(after: context.source),
      let claim = engine.goOn(after: context.ticket, context.source, output, in: self)
    else {
      ended(context, output: output)
      return false
    }
    guard claim.hasStarted, !isTurnOver() else {
      result = .claim(claim)
      return false
    }
    context.ticket = claim.ticket
    context.source.item = claim.work.item
    context.source.attempt = claim.attempt
    return true
  }

  /// Ends a step that has succeeded, and changes context and closure to the next one's; false if that can't be awaited now.
  @inline(never)
  func goOn(afterStep context: inout FlowContext, _ body: inout AwaitedWork.Step) -> Bool {
    guard mayGoOn(after: context.source), context.source.item == nil,
      let claim = engine.goOn(after: context.ticket, context.source, in: self)
    else {
      ended(context, output: nil)
      return false
    }
    guard claim.hasStarted, let (source, next) = engine.plainTask(claim), !isTurnOver() else {
      result = .claim(claim)
      return false
    }
    context.ticket = claim.ticket
    context.source = source
    body = next
    return true
  }

  /// Whether an end may be all that there is to settle; a user's code may have cancelled the task, too.
  @inline(__always)
  private func mayGoOn(after source: FlowEvent.Source) -> Bool {
    engine.hasShortWay && !engine.blueprint.has(any: .traits, at: Int(source.step)) && engine.probe == nil
      && !Task.isCancelled
  }

  /// Whether it may perform some work itself: on a thread that must not be blocked, asynchronous closures only.
  func mayPerform(_ claim: RunClaim) -> Bool {
    if engine.lanesMayBlock { return true }
    return claim.work.isAttempt && claim.work.step.map { engine.blueprint.claimFacts[$0].isAsyncClosure } == true
  }
}
