import Foundation

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
