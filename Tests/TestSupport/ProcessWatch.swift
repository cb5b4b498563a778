import Foundation
import OperationFlow

/// The resources that this process uses.
///
/// It is for a process of its own, in which no other test runs.
package enum ProcessWatch {
  package static let coreCount = ProcessInfo.processInfo.activeProcessorCount

  /// The number of threads; `nil` if the system doesn't list them.
  package static var threadCount: Int? {
    try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
  }

  /// The processor time of all threads together, in nanoseconds.
  package static var cpuTime: Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Waits until the process rests: for a tenth of a second it uses at most a tenth of that, and no thread wants more.
  ///
  /// Returns false if it uses ten seconds of processor time first. Both limits are in processor time and in what the
  /// threads ask for, which stay the same on a busy machine.
  package static func rests() async -> Bool {
    let start = cpuTime
    while cpuTime - start < 10_000_000_000 {
      let before = cpuTime
      let wereAtWork = isAtWork
      await pause()
      if cpuTime - before < 10_000_000 && !wereAtWork && !isAtWork { return true }
    }
    return false
  }

  /// Waits until there are at most `limit` threads.
  package static func fallsToThreadCount(_ limit: Int) async {
    while let count = threadCount, count > limit { await pause() }
  }

  /// Lets other threads run.
  private static func pause() async { await inThread { Thread.sleep(forTimeInterval: 0.1) } }

  /// True if a thread beside the current one has work to do, even if the machine is too busy to run it.
  private static var isAtWork: Bool {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.count { thread in
      let status = try? String(contentsOfFile: "/proc/self/task/\(thread)/stat", encoding: .utf8)
      return status?.contains(") R ") == true
    } > 1
  }
}

/// The threads in which some code has been called.
package final class ThreadMarks: Sendable {
  private let threads = Locked(Set<UInt>())

  package init() {}

  package var count: Int { threads.withLock { $0.count } }

  /// Marks the current thread.
  package func mark() {
    #if canImport(Darwin)
      let thread = UInt(bitPattern: pthread_self())
    #else
      let thread = UInt(pthread_self())
    #endif
    threads.withLock { _ = $0.insert(thread) }
  }
}
