import Foundation

@testable import OperationFlow

/// What this process has used: meant for a process of its own, where no other test runs.
enum ProcessWatch {
  static let coreCount = ProcessInfo.processInfo.activeProcessorCount

  /// How many threads there are; `nil` where the system does not say.
  static var threadCount: Int? {
    try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
  }

  /// How long all threads together have been at work, in nanoseconds.
  static var cpuTime: Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Waits for a tenth of a second in which the process is at work for no more than a tenth of that.
  ///
  /// What has still to come to rest may take some of them; what never rests never has one. So a busy machine makes no
  /// test fail, and the time is an occasion to be at work, not a time to be kept.
  static func rests() async -> Bool {
    for _ in 0..<100 {
      let before = cpuTime
      await inThread { Gate().pass(within: .milliseconds(100)) }
      if cpuTime - before < 10_000_000 { return true }
    }
    return false
  }
}

/// The threads in which some code has been called.
final class ThreadMarks: Sendable {
  private let threads = Locked(Set<UInt>())

  var count: Int { threads.withLock { $0.count } }

  /// Marks the current thread.
  func mark() {
    #if canImport(Darwin)
      let thread = UInt(bitPattern: pthread_self())
    #else
      let thread = UInt(pthread_self())
    #endif
    threads.withLock { _ = $0.insert(thread) }
  }
}
