import Foundation

/// When a supervisor tries again what has failed: after a second, and after twice the time with each further failure.
enum RetryDelay {
  /// The longest time between two attempts.
  static let longest: TimeInterval = 300

  /// The time after a number of failures.
  static func after(_ failureCount: Int) -> TimeInterval {
    failureCount < 1 ? 0 : min(longest, pow(2, Double(min(failureCount, 32) - 1)))
  }

  /// True if a date has come, which was never further away than the longest time unless the clock was set back.
  static func hasCome(_ date: Date, at now: Date) -> Bool {
    date <= now || date.timeIntervalSince(now) > longest
  }
}
