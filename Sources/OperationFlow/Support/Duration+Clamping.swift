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
