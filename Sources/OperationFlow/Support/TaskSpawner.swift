/// Starts tasks that see the task-local values of whoever started the run.
///
/// Lanes run on an operation queue, outside any task, and a task inherits from where it is made. So one task, made
/// where the run is started, makes all the others. Outside a task there is nothing to inherit, and none is needed.
final class TaskSpawner: Sendable {
  private struct Job: Sendable {
    let work: @Sendable () async -> Void
    let started: @Sendable (Task<Void, Never>) -> Void

    func start() { started(Task { await work() }) }
  }

  private let jobs: AsyncStream<Job>.Continuation?

  init() {
    guard withUnsafeCurrentTask(body: { $0 != nil }) else {
      jobs = nil
      return
    }
    let (stream, continuation) = AsyncStream.makeStream(of: Job.self)
    jobs = continuation
    Task { for await job in stream { job.start() } }
  }

  deinit { jobs?.finish() }

  /// Runs `work` in a task of its own, which `started` is given, so that it can be cancelled.
  func spawn(_ work: @escaping @Sendable () async -> Void, started: @escaping @Sendable (Task<Void, Never>) -> Void) {
    let job = Job(work: work, started: started)
    if let jobs { jobs.yield(job) } else { job.start() }
  }
}
