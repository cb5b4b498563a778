/// Starts tasks that see the task-local values of the caller that started the run.
///
/// Lanes run on an operation queue, outside any task, and a task inherits values from the place that creates it. So one
/// task, created where the run is started, creates all the others. This is needed outside tasks too, because values can
/// also be bound to a plain thread.
final class TaskSpawner: Sendable {
  private struct Job: Sendable {
    /// Whether it runs on a thread that may be blocked.
    let isLane: Bool
    let work: @Sendable () async -> Void
    let started: @Sendable (Task<Void, Never>) -> Void

    func start(on clock: (any DrivenClock)?) {
      let gate = TaskGate()
      // The task must not hold the job, whose other closure may hold what the work has long freed.
      let task = TaskSpawner.task(asLane: isLane, on: clock) { [work] in
        await gate.pass()
        await work()
      }
      // The code that keeps the task to cancel it gets it before the work begins.
      started(task)
      gate.open()
    }
  }

  /// `nil` if no task is expected.
  private let jobs: AsyncStream<Job>.Continuation?
  private let clock: (any DrivenClock)?
  /// Whether the task of a lane has a thread that may be blocked.
  let lanesMayBlock = TaskSpawner.lanesMayBlock

  /// What new ones do; a test sets it to do what another platform does.
  @TaskLocal static var lanesMayBlock = LaneExecutor.isThere

  /// Creates no task if none is expected; a task that is spawned anyway inherits nothing.
  ///
  /// A clock that performs the work of its runs also performs their tasks.
  init(isNeeded: Bool = true, on clock: (any DrivenClock)? = nil) {
    self.clock = clock
    guard isNeeded else {
      jobs = nil
      return
    }
    let (stream, continuation) = AsyncStream.makeStream(of: Job.self)
    jobs = continuation
    _ = Self.task(on: clock) { for await job in stream { job.start(on: clock) } }
  }

  deinit { jobs?.finish() }

  /// Runs `work` in its own task, and passes the task to `started` so that it can be cancelled.
  ///
  /// That of a lane has a thread that may be blocked, if `lanesMayBlock` says so.
  func spawn(
    asLane isLane: Bool = false, _ work: @escaping @Sendable () async -> Void,
    started: @escaping @Sendable (Task<Void, Never>) -> Void
  ) {
    let job = Job(isLane: isLane && lanesMayBlock, work: work, started: started)
    if let jobs { jobs.yield(job) } else { job.start(on: clock) }
  }

  private static func task(
    asLane isLane: Bool = false, on clock: (any DrivenClock)?, _ work: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    if let clock { return clock.startTask(work) }
    return isLane ? LaneExecutor.startTask(work) : Task { await work() }
  }
}

/// Holds one task back until the gate is opened.
private final class TaskGate: @unchecked Sendable {
  // Invariant: these are read and written under the object's shared lock only.
  private var isOpen = false
  private var waiter: UnsafeContinuation<Void, Never>?

  func pass() async {
    if SharedLocks.all.withLock(of: self, { isOpen }) { return }
    await withUnsafeContinuation { continuation in
      let isOpen = SharedLocks.all.withLock(of: self) {
        if !self.isOpen { waiter = continuation }
        return self.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiter = SharedLocks.all.withLock(of: self) {
      isOpen = true
      return self.waiter
    }
    waiter?.resume()
  }
}
