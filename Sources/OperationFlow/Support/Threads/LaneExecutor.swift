import Foundation

/// Performs the parts of tasks on threads that may be blocked, as those of lanes.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class LaneExecutor: TaskExecutor {
  static let shared = LaneExecutor()

  #if canImport(Darwin)
    private let queue = DispatchQueue(label: "OperationFlow", attributes: .concurrent)
  #endif

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    #if canImport(Darwin)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    #else
      ThreadPool.shared.add(1) { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    #endif
  }
}
