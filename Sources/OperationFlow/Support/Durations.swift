import Foundation

package enum DurationText {
  /// The duration, rounded, with three digits at most and its unit, such as `840 µs`, `12.4 ms`, `1.24 s` or `2 min 3 s`.
  package static func of(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    // Compared with what rounding leaves, so that no text says 1,000 of a unit.
    if seconds < 0.000_999_5 { return "\(Int((max(0, seconds) * 1_000_000).rounded())) µs" }
    if seconds < 0.999_5 { return digits(seconds * 1_000) + " ms" }
    if seconds < 59.95 { return digits(seconds) + " s" }
    return seconds < 3_599.5 ? parts(of: seconds, "min", "s") : parts(of: seconds / 60, "h", "min")
  }

  /// A number of the smaller of two units as both, of which 60 are one of the larger.
  private static func parts(of number: Double, _ unit: String, _ smallerUnit: String) -> String {
    let (count, rest) = (Int(exactly: number.rounded()) ?? .max).quotientAndRemainder(dividingBy: 60)
    return rest == 0 ? "\(count) \(unit)" : "\(count) \(unit) \(rest) \(smallerUnit)"
  }

  /// The duration in seconds with all of its digits, such as `0.25 seconds` or `432000.0 seconds`.
  ///
  /// Its own description is a little off for many whole numbers of seconds: that of five days ends in `.00000000006`.
  package static func exact(_ duration: Duration) -> String {
    let seconds = (duration / .seconds(1)).rounded()
    // A duration can be so long that its seconds aren't an `Int64`.
    guard let count = Int64(exactly: seconds), Duration.seconds(count) == duration else { return "\(duration)" }
    return "\(seconds) seconds"
  }

  /// The number with three digits, and no zeros after them.
  private static func digits(_ number: Double) -> String {
    let places = number < 9.995 ? 2 : number < 99.95 ? 1 : 0
    let factor = [1.0, 10, 100][places]
    let rounded = (number * factor).rounded() / factor
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}

/// The numbers that a saved record may have: they leave room for sums, so that no file can end the process.
package enum SavedNumbers {
  /// Times and durations in microseconds: 36,000 years in both directions.
  package static let times = -(Int64(1) << 60)...(Int64(1) << 60)
}

extension Duration {
  package var microsecondCount: Int64 {
    Int64(exactly: (self / .microseconds(1)).rounded()) ?? (self < .zero ? .min : .max)
  }

  /// The duration in whole microseconds, as it is written and read.
  package var inMicroseconds: Duration { .microseconds(microsecondCount) }
}

extension Date {
  /// The time in whole microseconds since the beginning of 1970, within the range that a saved record may have.
  package var microseconds: Int64 {
    let limits = SavedNumbers.times
    guard let count = Int64(exactly: (timeIntervalSinceReferenceDate * 1_000_000).rounded()) else { return 0 }
    return min(max(count, limits.lowerBound - Self.offset), limits.upperBound - Self.offset) + Self.offset
  }

  /// The date of a number of microseconds since the beginning of 1970.
  package init(microseconds: Int64) {
    self.init(timeIntervalSinceReferenceDate: Double(microseconds - Self.offset) / 1_000_000)
  }

  /// How many microseconds the reference date is after the beginning of 1970.
  private static let offset = Int64(timeIntervalBetween1970AndReferenceDate) * 1_000_000
}

extension Duration {
  /// The longest time that is waited for, 100 years: no clock has to calculate with more.
  package static var longest: Duration { .seconds(3_155_760_000 as Int64) }

  /// The nearest time within limits; those of times that are waited for, if no others are given.
  ///
  /// Sums and parts of other times would leave the range of the type, or of a clock, and stop the program.
  package func clamped(to limits: ClosedRange<Duration> = .zero ... .longest) -> Duration {
    min(max(self, limits.lowerBound), limits.upperBound)
  }

  /// A number of seconds that comes from outside, at most 30,000 years in both directions; zero if it is no number.
  package static func clamping(seconds: Double) -> Duration {
    if seconds.isNaN { return .zero }
    let whole = min(max(seconds, -1e12), 1e12).rounded(.towardZero)
    let rest = abs(seconds) < 1e12 ? seconds - whole : 0
    // The type's own conversion leaves 11 hours some attoseconds too short.
    return .seconds(Int64(whole)) + .nanoseconds(Int64((rest * 1e9).rounded()))
  }
}
