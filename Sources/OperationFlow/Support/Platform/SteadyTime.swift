import Foundation

/// The time since some moment before the process began; it passes while the system sleeps, and can't be set.
enum SteadyTime {
  #if canImport(Darwin)
    private static let clock = CLOCK_MONOTONIC
  #else
    private static let clock = CLOCK_BOOTTIME
  #endif

  /// The time of `ContinuousClock` in seconds, read in a fraction of the time that the clock's conversion needs.
  static var seconds: Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
