/// A lane that is a task: it performs work like any lane, and awaits what is asynchronous.
///
/// A task can't be made uncancelled. So if its work is cancelled, the lane ends with it, and another one takes over.
/// A cancel names the work that it means, because the lane may be doing other work by then.
///
/// If lanes have threads of their own (`ThreadPool`), it runs on these, which may be blocked. Otherwise it runs on the
/// language's pool, performs asynchronous closures only, and leaves all other work to the run's queue.
final class TaskLane: RunAwaiting, @unchecked Sendable {
  // Invariant: `next`, `count` and `mustYield` are used by `start` before the task begins, and afterwards by the task
  // alone. The others are read and written under the lock of the run's state only, so that going on takes no other lock.
  /// What the lane awaits next.
  private var next: AwaitedWork?
  /// How much it has awaited.
  private var count = 0
  /// Whether it lets other tasks have the thread first.
  private var mustYield = false
  /// The work that can be cancelled.
  private var ticket: WorkTicket?
  private var task: Task<Void, Never>?
  private var isCancelled = false

  /// How often a lane goes on before it lets other tasks have the thread.
  private static let turn = 64

  private let engine: RunEngine

  private init(_ engine: RunEngine) { self.engine = engine }

  /// Starts a lane with work that it awaits first.
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
    if operation?.keepRun(self) ?? isStopping { cancel(ticket) }
  }

  func cancelRun(_ ticket: WorkTicket?) { if let ticket { cancel(ticket) } }

  /// Cancels some work, unless it has ended.
  func cancel(_ ticket: WorkTicket) {
    let task = engine.state.withLock { _ -> Task<Void, Never>? in
      guard self.ticket == ticket else { return nil }
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

  private nonisolated(nonsending) func run() async {
    while goOn(after: await endOfNext()) {
      if mustYield {
        mustYield = false
        await Task.yield()
      }
    }
  }

  /// Counts what it has awaited; true if it is another task's turn.
  private func isTurnOver() -> Bool {
    count += 1
    guard count % Self.turn == 0, !engine.tasks.lanesMayBlock else { return false }
    mustYield = true
    return true
  }

  /// Settles what was awaited, and performs more work until there is some to await; false if the lane ends.
  ///
  /// Not inlined, because a waiting task keeps room for all that its function ever has in hand.
  @inline(never)
  private func goOn(after end: consuming AwaitedWork.Outcome?) -> Bool {
    guard let claim = settle(end) else { return false }
    _ = isTurnOver()
    engine.runLane(from: claim, in: self)
    return true
  }

  /// Separate, so that the end is freed before more work is performed.
  @inline(never)
  private func settle(_ end: consuming AwaitedWork.Outcome?) -> RunClaim? {
    switch end {
    case nil: return nil
    case .claimed(let claim): return claim
    case .ended(let end):
      let isCancelled = engine.state.withLock { _ in
        ticket = nil
        return self.isCancelled
      }
      return end.settle(in: engine, goesOn: !isCancelled && !Task.isCancelled && engine.probe == nil)
    }
  }

  /// Separate, so that a group's item is freed before its end counts and another one takes its place.
  private nonisolated(nonsending) func endOfNext() async -> AwaitedWork.Outcome? { await next.take()?.perform(self) }

  // MARK: The short way

  /// What follows the end of what was awaited.
  enum Next { case longWay, awaited, claimed(RunClaim) }

  /// Ends an item that has succeeded, and changes the context to that of the next one, if it can be awaited right away.
  @inline(never)
  func goOn(afterItem context: inout FlowContext, _ output: (any Sendable)?) -> Next {
    guard mayGoOn(after: context.source),
      let claim = engine.goOn(after: context.ticket, context.source, output, in: self)
    else { return .longWay }
    guard claim.hasStarted, !isTurnOver() else { return .claimed(claim) }
    context.ticket = claim.ticket
    context.source.item = claim.work.item
    context.source.attempt = claim.attempt
    return .awaited
  }

  /// Ends a step that has succeeded, and changes the context and the closure to those of the next one, if it can be
  /// awaited right away.
  @inline(never)
  func goOn(afterStep context: inout FlowContext, _ body: inout AwaitedWork.Step) -> Next {
    guard mayGoOn(after: context.source), context.source.item == nil,
      let claim = engine.goOn(after: context.ticket, context.source, in: self)
    else { return .longWay }
    guard claim.hasStarted, let (source, next) = engine.plainTask(claim), !isTurnOver() else { return .claimed(claim) }
    context.ticket = claim.ticket
    context.source = source
    body = next
    return .awaited
  }

  /// Whether an end may be all that there is to settle; a user's code may have cancelled the task, too.
  @inline(__always)
  private func mayGoOn(after source: FlowEvent.Source) -> Bool {
    engine.hasShortWay && engine.blueprint.isBare(Int(source.step)) && engine.probe == nil && !Task.isCancelled
  }

  /// Whether it may perform some work itself: on a thread that must not be blocked, asynchronous closures only.
  func mayPerform(_ claim: RunClaim) -> Bool {
    if engine.tasks.lanesMayBlock { return true }
    return claim.work.isAttempt && claim.work.step.map(engine.blueprint.isAsyncClosure) == true
  }
}
