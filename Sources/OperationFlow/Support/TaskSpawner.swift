/// Starts tasks that have the task-local values of the code that started the run.
///
/// A task inherits values from the place that creates it, and most code of a run is in no task. So one task, which is
/// created where the run is started, creates all the others. It is also created if the run is started outside tasks,
/// because values can be bound to a plain thread too.
final class TaskSpawner: Sendable {
  private struct Job: Sendable {
    let work: @Sendable () async -> Void
    let started: @Sendable (Task<Void, Never>) -> Void

    func start(on clock: (any DrivenClock)?) {
      let gate = TaskGate()
      // The task doesn't retain the job, whose `started` closure may retain objects that the work needs no longer.
      let gated: @Sendable () async -> Void = { [work] in
        await gate.pass()
        await work()
      }
      let task = clock?.startTask(gated) ?? Task(operation: gated)
      // The code that stores the task, to cancel it, gets the task before the work begins.
      started(task)
      gate.open()
    }
  }

  /// The tasks to start; `nil` if the spawner has no task of its own.
  private let jobs: AsyncStream<Job>.Continuation?
  private let clock: (any DrivenClock)?

  /// Creates a spawner; without `inherits`, tasks have no task-local values: for runs whose steps need no task.
  init(on clock: (any DrivenClock)? = nil, inherits: Bool = true) {
    self.clock = clock
    if !inherits {
      jobs = nil
      return
    }
    let (stream, jobs) = AsyncStream.makeStream(of: Job.self)
    self.jobs = jobs
    let startAll: @Sendable () async -> Void = { for await job in stream { job.start(on: clock) } }
    if let clock {
      _ = clock.startTask(startAll)
      return
    }
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      // An immediate task waits for the first job at once, so that a run that needs no task wakes no thread.
      Task.immediate(operation: startAll)
    } else {
      Task(operation: startAll)
    }
  }

  deinit { jobs?.finish() }

  /// Runs `work` in its own task, and passes the task to `started`, so that it can be cancelled.
  func spawn(
    _ work: @escaping @Sendable () async -> Void, started: @escaping @Sendable (Task<Void, Never>) -> Void
  ) {
    let job = Job(work: known(work), started: started)
    if let jobs { jobs.yield(job) } else { job.start(on: clock) }
  }

  /// Returns work that a driven clock performs as part of the caller's work.
  private func known(_ work: @escaping @Sendable () async -> Void) -> @Sendable () async -> Void {
    guard clock != nil, let caller = DrivenWork.current else { return work }
    return { await DrivenWork.$current.withValue(caller) { await work() } }
  }
}
