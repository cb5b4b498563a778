import Foundation

/// A clock whose dates may be set at any time, like the system's; the dates of other clocks follow their times.
package protocol DatedClock: Clock<Duration> {
  var date: Date { get }
}

/// A moment of a run.
package struct RunMoment: Sendable {
  /// The date of the system's clock, which may be set at any time.
  package let date: Date
  /// The date by a clock that was right when the run was created, and can't be set; durations are differences of these.
  package let time: Date

  package init(date: Date, time: Date? = nil) {
    self.date = date
    self.time = time ?? date
  }

  /// The time as a number.
  var seconds: Double { time.timeIntervalSinceReferenceDate }
}

/// The dates of a run, and the time that has passed in it: the system's, or those of the run's own clock.
///
/// A clock may be a user's code, so no lock may be held while these are read.
package struct RunDates: Sendable {
  private struct Clocked: Sendable {
    let start: Date
    let advanced: @Sendable () -> Duration
    /// The clock's own dates; `nil` if they follow its times.
    var date: (@Sendable () -> Date)?
  }

  package static var standard: RunDates { RunDates(clocked: nil) }
  private static let origin = ContinuousClock.now

  /// The clock; `nil` for the system's.
  private let clocked: Clocked?
  /// The system's date at the origin of its times, as of the creation of this value.
  private let start: Date

  private init(clocked: Clocked?) {
    self.clocked = clocked
    start = clocked?.start ?? Date().addingTimeInterval(-SteadyTime.seconds)
  }

  /// Creates the dates of a clock: its own if it has any, otherwise the current date plus the time that passes from now
  /// on.
  package init(by clock: any Clock<Duration>) {
    // Comparing types costs less than a cast.
    if type(of: clock) == ContinuousClock.self {
      self.init(clocked: nil)
    } else if let clock = clock as? any DrivenClock {
      // The start is limited, because intervals between infinite dates wouldn't be numbers.
      self.init(clocked: Clocked(start: min(.distantFuture, max(.distantPast, clock.startDate))) { clock.elapsed })
    } else if let clock = clock as? any DatedClock {
      self.init(clocked: Clocked(start: clock.date, advanced: Self.elapsed(on: clock)) { clock.date })
    } else {
      self.init(clocked: Clocked(start: Date(), advanced: Self.elapsed(on: clock)))
    }
  }

  private static func elapsed(on clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let origin = clock.now
    return { origin.duration(to: clock.now) }
  }

  var isStandard: Bool { clocked == nil }

  /// True if dates may be reached sooner or later than times suggest, because the clock can be set.
  package var mayBeSet: Bool { isStandard || clocked?.date != nil }
  /// The longest time that a wait for a date lasts before the date is read again.
  package static let longestRest = Duration.seconds(60)

  /// Returns the time after which to check for a date that is this many seconds away.
  package func rest(until seconds: TimeInterval) -> Duration {
    let time = Duration.clamping(seconds: seconds)
    return mayBeSet ? min(time, Self.longestRest) : time
  }

  package var now: RunMoment {
    guard let clocked else {
      return RunMoment(date: Date(), time: start.addingTimeInterval(SteadyTime.seconds))
    }
    let time = start.addingTimeInterval(clocked.advanced() / .seconds(1))
    return RunMoment(date: clocked.date?() ?? time, time: time)
  }

  /// The time since a fixed moment.
  var elapsed: Duration { clocked?.advanced() ?? ContinuousClock.now - Self.origin }
}

package enum DurationText {
  /// Returns the rounded duration with at most three digits and its unit: `840 µs`, `12.4 ms`, `1.24 s` or `2 min 3 s`.
  package static func of(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    // The limits consider rounding, so that no text is 1,000 of a unit.
    if seconds < 0.000_999_5 { return "\(Int((max(0, seconds) * 1_000_000).rounded())) µs" }
    if seconds < 0.999_5 { return digits(seconds * 1_000) + " ms" }
    if seconds < 59.95 { return digits(seconds) + " s" }
    return seconds < 3_599.5 ? parts(of: seconds, "min", "s") : parts(of: seconds / 60, "h", "min")
  }

  /// Returns a number in two units, of which the smaller is a sixtieth of the larger.
  private static func parts(of number: Double, _ unit: String, _ smallerUnit: String) -> String {
    let (count, rest) = (Int(exactly: number.rounded()) ?? .max).quotientAndRemainder(dividingBy: 60)
    return rest == 0 ? "\(count) \(unit)" : "\(count) \(unit) \(rest) \(smallerUnit)"
  }

  /// Returns the duration in seconds with all of its digits, such as `0.25 seconds` or `432000.0 seconds`.
  ///
  /// The description of `Duration` is inexact for many whole numbers of seconds: that of five days ends in
  /// `.00000000006`.
  package static func exact(_ duration: Duration) -> String {
    let seconds = (duration / .seconds(1)).rounded()
    // The seconds of a very long duration don't fit into an `Int64`.
    guard let count = Int64(exactly: seconds), Duration.seconds(count) == duration else { return "\(duration)" }
    return "\(seconds) seconds"
  }

  /// Returns the number with three digits, without zeros at the end.
  private static func digits(_ number: Double) -> String {
    let places = number < 9.995 ? 2 : number < 99.95 ? 1 : 0
    let factor = [1.0, 10, 100][places]
    let rounded = (number * factor).rounded() / factor
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}

/// The ranges of numbers in a saved record, which leave room for sums, so that no file can stop the process.
package enum SavedNumbers {
  /// Times and durations in microseconds: 36,000 years in both directions.
  package static let times = -(Int64(1) << 60)...(Int64(1) << 60)
}

extension Duration {
  package var microsecondCount: Int64 {
    Int64(exactly: (self / .microseconds(1)).rounded()) ?? (self < .zero ? .min : .max)
  }

  /// The duration in whole microseconds, as in files.
  package var inMicroseconds: Duration { .microseconds(microsecondCount) }
}

extension Date {
  /// The time in whole microseconds since the beginning of 1970, within the range for saved records.
  package var microseconds: Int64 {
    let limits = SavedNumbers.times
    guard let count = Int64(exactly: (timeIntervalSinceReferenceDate * 1_000_000).rounded()) else { return 0 }
    return min(max(count, limits.lowerBound - Self.offset), limits.upperBound - Self.offset) + Self.offset
  }

  /// Creates the date of a number of microseconds since the beginning of 1970.
  package init(microseconds: Int64) {
    self.init(timeIntervalSinceReferenceDate: Double(microseconds - Self.offset) / 1_000_000)
  }

  /// The number of microseconds from the beginning of 1970 to the reference date.
  private static let offset = Int64(timeIntervalBetween1970AndReferenceDate) * 1_000_000
}

extension Duration {
  /// The longest time of a wait, 100 years, so that no clock has to calculate with more.
  package static var longest: Duration { .seconds(3_155_760_000 as Int64) }

  /// Returns the nearest time within limits, by default those of a wait.
  ///
  /// Sums and parts of other times would leave the range of the type, or of a clock, and stop the program.
  package func clamped(to limits: ClosedRange<Duration> = .zero ... .longest) -> Duration {
    min(max(self, limits.lowerBound), limits.upperBound)
  }

  /// Returns the duration of a number of seconds from outside, at most 30,000 years in both directions; zero for NaN.
  package static func clamping(seconds: Double) -> Duration {
    if seconds.isNaN { return .zero }
    let whole = min(max(seconds, -1e12), 1e12).rounded(.towardZero)
    let rest = abs(seconds) < 1e12 ? seconds - whole : 0
    // The type's own conversion makes 11 hours some attoseconds too short.
    return .seconds(Int64(whole)) + .nanoseconds(Int64((rest * 1e9).rounded()))
  }
}
