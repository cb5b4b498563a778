/// A lane that is a task: it claims and performs work like any lane, and awaits the work that is asynchronous.
///
/// It runs on the language's pool, whose threads must not be blocked, so it leaves work that may block to lanes on threads.
///
/// A task can't be made uncancelled. So if its work is cancelled, the lane ends with that work, and another lane takes over.
/// A cancel names the work that it means, because the lane may be doing other work by then.
final class TaskLane: RunAwaiting, @unchecked Sendable {
  // Invariant: `next`, `end` and `count` are used by `start` before the task begins, and afterwards by the task alone. The
  // others are read and written under the lock of the run's state only.
  /// The work that the lane awaits next.
  private var next: AwaitedWork?
  /// The end of the work that it has awaited.
  private var end: AwaitedWork.End?
  private var count = 0
  /// The work that can be cancelled.
  private var ticket: WorkTicket?
  private var task: Task<Void, Never>?
  private var isCancelled = false

  /// After this many pieces of work, a lane lets other tasks have its thread.
  private static let turn = 512

  private let engine: RunEngine

  private init(_ engine: RunEngine) { self.engine = engine }

  /// Starts a lane, which begins with some work to await, or otherwise with a claim.
  static func start(_ engine: RunEngine, with work: AwaitedWork? = nil) {
    let lane = TaskLane(engine)
    lane.next = work
    engine.tasks.spawn {
      await lane.run(claimsFirst: work == nil)
    } started: { task in
      engine.state.withLock { _ in lane.task = task }
      // The work is read from the lane, because this closure may outlive it, and must not hold a group's item.
      if let work = lane.next { lane.track(work) }
    }
  }

  /// Awaits some work after the lane has performed its present work.
  func await(_ work: consuming AwaitedWork) {
    track(work)
    next = work
  }

  /// Lets the run cancel some work through the lane.
  private func track(_ work: borrowing AwaitedWork) {
    let ticket = work.ticket
    let operation = work.operation
    let isStopping = engine.state.withLock { state in
      self.ticket = ticket
      guard operation == nil else { return false }
      state.claims[ticket]?.cancellable = .lane(self, ticket)
      return state.machine.isStopping(ticket)
    }
    // The run tracks the operation itself.
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
    while next != nil {
      await performNext()
      settle()
      count += 1
      if count % Self.turn == 0, next != nil { await Task.yield() }
    }
  }

  /// Separate, so that a group's item is freed before its end counts and another one takes its place.
  private nonisolated(nonsending) func performNext() async { await next.take()?.perform(self) }

  /// Settles the awaited work, and performs more work until there is some to await; if there is none, the lane ends.
  private func settle() {
    if let claim = settleEnd() { engine.runLane(from: claim, in: self) }
  }

  /// Separate, so that the end is freed before more work is performed.
  private func settleEnd() -> Claim? {
    guard let end = end.take() else { return nil }
    let isCancelled = engine.state.withLock { _ in
      ticket = nil
      return self.isCancelled
    }
    return end.settle(in: engine, goesOn: !isCancelled && !Task.isCancelled && engine.probe == nil)
  }

  // MARK: The end of the awaited work

  func ended(_ end: AwaitedWork.End) { self.end = end }

  func ended(_ context: FlowContext, output: (any Sendable)?) {
    ended(AwaitedWork.End(ticket: context.ticket, source: context.source, settlement: .succeeded, output: output))
  }

  func ended(_ context: FlowContext, _ error: any Error) {
    let settlement = Task.isCancelled ? .cancelled : Settlement(error)
    ended(AwaitedWork.End(ticket: context.ticket, source: context.source, settlement: settlement))
  }
}
