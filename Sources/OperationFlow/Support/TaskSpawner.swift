/// Starts tasks that see the task-local values of the caller that started the run.
///
/// Most lanes run outside any task, and a task inherits values from the place that creates it. So one task, created where
/// the run is started, creates all the others. This is needed outside tasks too, because values can also be bound to a plain
/// thread. If the run's first lane is a task, it is that one.
final class TaskSpawner: Sendable {
  struct Job: Sendable {
    /// Whether it runs on a thread that may be blocked.
    let isLane: Bool
    let work: @Sendable () async -> Void
    let started: @Sendable (Task<Void, Never>) -> Void

    @inline(never)
    func start(on clock: (any DrivenClock)? = nil) {
      let gate = TaskGate()
      // The task must not hold the job, whose other closure may hold what the work has long freed.
      let gated: @Sendable () async -> Void = { [work] in
        await gate.pass()
        await work()
      }
      let task = clock?.startTask(gated) ?? (isLane ? LaneExecutor.startTask(gated) : Task(operation: gated))
      // The code that keeps the task to cancel it gets it before the work begins.
      started(task)
      gate.open()
    }

    /// What a task performs that takes the job itself; as above, without the other closure.
    fileprivate func taken(by task: Task<Void, Never>) -> @Sendable () async -> Void {
      started(task)
      return work
    }
  }

  /// `nil` if no task is expected.
  private let jobs: JobQueue?
  private let clock: (any DrivenClock)?
  /// Whether the task of a lane has a thread that may be blocked.
  let lanesMayBlock: Bool

  /// What new ones do; a test sets it to do what another platform does.
  @TaskLocal static var lanesMayBlock = LaneExecutor.isThere

  /// Creates no task if none is expected; one that is spawned anyway inherits nothing.
  init(isNeeded: Bool = true, on clock: (any DrivenClock)? = nil) {
    self.clock = clock
    lanesMayBlock = TaskSpawner.lanesMayBlock
    jobs = isNeeded ? JobQueue() : nil
    guard let jobs else { return }
    if let clock {
      _ = clock.startTask { while let job = await jobs.next() { job.start(on: clock) } }
    } else {
      jobs.makeTask()
    }
  }

  /// Creates no task: a lane takes the jobs when it has no other work, or a task that awaits the run.
  init(lanesMayBlock: Bool) { (clock, jobs, self.lanesMayBlock) = (nil, JobQueue(), lanesMayBlock) }

  deinit { finish() }

  func finish() { jobs?.finish() }

  /// Takes the jobs in the lane of a task until `finish()`: performs the work of lanes itself, unless it was cancelled.
  @inline(never)
  nonisolated(nonsending) func takeJobs(by task: Task<Void, Never>?) async {
    while let job = await jobs?.next() {
      if let task, job.isLane, !Task.isCancelled { await job.taken(by: task)() } else { job.start() }
    }
  }

  /// Starts a run's first task in the task that awaits the run, and creates the one that starts all others, if there are any.
  @inline(never)
  nonisolated(nonsending) func takeFirstJob() async {
    guard let jobs, let first = await jobs.next() else { return }
    first.start()
    if await jobs.hasNext() { jobs.makeTask() }
  }

  /// Runs `work` in its own task, and passes the task to `started` so that it can be cancelled.
  @inline(never)
  func spawn(
    asLane isLane: Bool = false, _ work: @escaping @Sendable () async -> Void,
    started: @escaping @Sendable (Task<Void, Never>) -> Void
  ) {
    let job = Job(isLane: isLane && lanesMayBlock, work: known(work), started: started)
    if let jobs { jobs.add(job) } else { job.start(on: clock) }
  }

  /// The same, known to a clock that performs it as what the caller's work does.
  private func known(_ work: @escaping @Sendable () async -> Void) -> @Sendable () async -> Void {
    guard clock != nil, let caller = DrivenWork.current else { return work }
    return { await DrivenWork.$current.withValue(caller) { await work() } }
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
    // The lock orders what came before the opening and what comes after it, as the thread sanitizer can see.
    SharedLocks.all.withLock(of: self) {}
  }

  func open() {
    let waiter = SharedLocks.all.withLock(of: self) {
      isOpen = true
      return self.waiter
    }
    waiter?.resume()
  }
}
