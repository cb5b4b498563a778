import Foundation
import OperationFlow

/// Plain threads that run the given jobs one after the other, so that a call is made from another thread.
package final class Crew: Sendable {
  private final class Jobs: Sendable {
    let list = Locked([@Sendable () -> Void]())
    let count = DispatchSemaphore(value: 0)
  }

  private let jobs = Jobs()
  private let size: Int

  package init(size: Int) {
    self.size = size
    let jobs = jobs
    for _ in 0..<size {
      Thread.detachNewThread {
        while true {
          jobs.count.wait()
          // A signal without a job: the crew was freed.
          guard let job = jobs.list.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
          job()
        }
      }
    }
  }

  deinit {
    for _ in 0..<size { jobs.count.signal() }
  }

  /// Runs `job` in one of the threads.
  package func give(_ job: @escaping @Sendable () -> Void) {
    jobs.list.withLock { $0.append(job) }
    jobs.count.signal()
  }
}
