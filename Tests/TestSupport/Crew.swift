import Foundation
import OperationFlow

/// Plain threads that do what they are given, one thing after the other, so that it comes from elsewhere.
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
          // Woken for nothing, it is no longer needed.
          guard let job = jobs.list.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
          job()
        }
      }
    }
  }

  deinit {
    for _ in 0..<size { jobs.count.signal() }
  }

  /// Has `job` done by one of the threads.
  package func give(_ job: @escaping @Sendable () -> Void) {
    jobs.list.withLock { $0.append(job) }
    jobs.count.signal()
  }
}
