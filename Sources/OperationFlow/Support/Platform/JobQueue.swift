/// The jobs of a spawner, which its task takes one after the other: a stream would take another KiB of a task that waits.
final class JobQueue: @unchecked Sendable {
  // Invariant: the state is read and written under the object's shared lock only; nothing is freed and no code called there.
  // The lock prevents overlapping accesses, so the language need not check for them.
  @exclusivity(unchecked) private var state = State()

  private struct State: ~Copyable, Sendable {
    var jobs = Fifo<TaskSpawner.Job>()
    var waiter: UnsafeContinuation<Void, Never>?
    var isFinished = false
    /// Whether the task runs whenever it can go on.
    var mayRun = false
    /// Its beginning, until it may, if it runs on the threads that add jobs.
    var beginning: UnownedJob?
  }

  @inline(__always)
  private func withState<Result>(_ body: (inout State) -> Result) -> Result {
    SharedLocks.all.withLock(of: self) { body(&state) }
  }

  func add(_ job: TaskSpawner.Job) { change { $0.jobs.append(job) } }

  /// Lets the task end once it has taken all jobs.
  func finish() { change { $0.isFinished = true } }

  private func change(_ change: (inout State) -> Void) {
    let (waiter, beginning) = withState { state in
      change(&state)
      state.mayRun = true
      return (state.waiter.take(), state.beginning.take())
    }
    waiter?.resume()
    if let beginning { run(beginning) }
  }

  private func startAll() async { while let job = await next() { job.start() } }

  /// The next job; `nil` if there are no more.
  ///
  /// It is handed over under the lock: the thread sanitizer sees no order in a task that is resumed before it has suspended.
  func next() async -> TaskSpawner.Job? {
    while true {
      let (job, isFinished) = withState { ($0.jobs.popFirst(), $0.isFinished) }
      if job != nil || isFinished { return job }
      await untilChanged()
    }
  }

  /// Waits until there is a job; false if there are no more.
  func hasNext() async -> Bool {
    await untilChanged()
    return withState { $0.jobs.count > 0 }
  }

  /// Waits until there is a job, or until there are no more.
  private func untilChanged() async {
    await withUnsafeContinuation { continuation in
      let mustWait = withState { state in
        let mustWait = state.jobs.count == 0 && !state.isFinished
        if mustWait { state.waiter = continuation }
        return mustWait
      }
      if !mustWait { continuation.resume() }
    }
  }

  #if canImport(Darwin)
    func makeTask() { Task { await self.startAll() } }

    /// Never called, because the language's pool runs the task from its beginning.
    private func run(_ beginning: UnownedJob) {}
  #else
    /// Creates the task that takes the jobs, on the threads that add them: a run that needs none only creates and frees it.
    func makeTask() {
      Task(executorPreference: self) {
        if !self.withState({ $0.isFinished && $0.jobs.count == 0 }) { await self.startAll() }
      }
    }

    private func run(_ part: UnownedJob) { part.runSynchronously(on: asUnownedTaskExecutor()) }
  #endif
}

#if !canImport(Darwin)
  extension JobQueue: TaskExecutor {
    /// Runs the task for as long as it has jobs, which only start other tasks.
    func enqueue(_ part: consuming ExecutorJob) {
      let part = UnownedJob(part)
      let mayRun = withState { state in
        if !state.mayRun { state.beginning = part }
        return state.mayRun
      }
      if mayRun { run(part) }
    }
  }
#endif
