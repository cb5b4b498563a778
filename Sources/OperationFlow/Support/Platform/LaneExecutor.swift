import Foundation

/// What a task performs that is a lane: a protocol, because each closure on the way takes room in a task that waits.
protocol LaneWork: Sendable { nonisolated(nonsending) func perform() async }

#if canImport(Darwin)
  /// Apple's queues have 64 threads that may be blocked: work that these wait for must not need another of them, so
  /// tasks stay on the language's pool.
  enum LaneExecutor {
    static let isThere = false

    static func startTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> { Task(operation: work) }

    static func startTask(of work: some LaneWork) -> Task<Void, Never> { Task { await work.perform() } }
  }
#else
  /// Performs the parts of tasks on the threads of lanes, which may be blocked.
  final class LaneExecutor: TaskExecutor {
    static let isThere = true
    private static let shared = LaneExecutor()

    static func startTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
      Task(executorPreference: shared, operation: work)
    }

    static func startTask(of work: some LaneWork) -> Task<Void, Never> {
      Task(executorPreference: shared) { await work.perform() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let run: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      // Otherwise what all threads wait for would wait for one of them.
      if ThreadPool.shared.isExhausted {
        DispatchQueue.global().async(execute: run)
      } else {
        ThreadPool.shared.add(1, run)
      }
    }
  }
#endif
