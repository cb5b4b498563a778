import Foundation

/// The time since some moment before the process began; it passes while the system sleeps, and nobody sets it.
enum SteadyTime {
  #if canImport(Darwin)
    private static let clock = CLOCK_MONOTONIC
  #else
    private static let clock = CLOCK_BOOTTIME
  #endif

  /// The time in seconds: `ContinuousClock` has the same one, as a number whose conversion costs several times the reading.
  static var seconds: Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
