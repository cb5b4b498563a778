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
