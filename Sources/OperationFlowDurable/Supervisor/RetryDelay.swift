import Foundation

/// The time before a supervisor tries again after a failure: a second, and twice the time with each further failure.
enum RetryDelay {
  /// The longest time between two attempts.
  static let longest: TimeInterval = 300

  /// Returns the time to wait after a number of failures.
  static func after(_ failureCount: Int) -> TimeInterval {
    failureCount < 1 ? 0 : min(longest, pow(2, Double(min(failureCount, 32) - 1)))
  }

  /// Returns true if a date is reached, or is further away than the longest time, because the clock was set back.
  static func hasCome(_ date: Date, at now: Date) -> Bool {
    date <= now || date.timeIntervalSince(now) > longest
  }
}
