import Foundation

/// A clock with dates that may be set at any time, as those of the system may; other clocks have dates that follow their times.
package protocol DatedClock: Clock<Duration> {
  var date: Date { get }
}

/// A moment of a run.
package struct RunMoment: Sendable {
  /// The date as the system's clock shows it, which may be set at any time.
  package let date: Date
  /// The date by a clock that was right when the run was made, and that nobody sets: durations are differences of these.
  package let time: Date

  package init(date: Date, time: Date? = nil) {
    self.date = date
    self.time = time ?? date
  }

  /// The time as a number.
  var seconds: Double { time.timeIntervalSinceReferenceDate }
}

/// The dates of a run, and the time that has passed in it: the system's, or those of the clock that the run uses.
///
/// A clock may be users' code, so no lock may be held while any of this is read.
package struct RunDates: Sendable {
  private struct Clocked: Sendable {
    let start: Date
    let advanced: @Sendable () -> Duration
    /// Its own dates, if they don't follow its times.
    var date: (@Sendable () -> Date)?
  }

  package static var standard: RunDates { RunDates(clocked: nil) }
  private static let origin = ContinuousClock.now

  /// The clock; `nil` for the system's.
  private let clocked: Clocked?
  /// The system's date at the origin of its times, as it was when these dates were made.
  private let start: Date

  private init(clocked: Clocked?) {
    self.clocked = clocked
    start = clocked?.start ?? Date().addingTimeInterval(-Self.seconds(ContinuousClock.now - Self.origin))
  }

  /// The dates by a clock: the clock's own if it has any, otherwise the current date and the time that passes from now on.
  package init(by clock: any Clock<Duration>) {
    // Comparing types costs less than a cast.
    if type(of: clock) == ContinuousClock.self {
      self.init(clocked: nil)
    } else if let clock = clock as? any DrivenClock {
      // The times between dates that are no points in time would be none either.
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

  private static func seconds(_ time: Duration) -> Double {
    let parts = time.components
    return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
  }

  var isStandard: Bool { clocked == nil }

  /// True if dates may come sooner or later than times tell: someone may set the clock.
  package var mayBeSet: Bool { isStandard || clocked?.date != nil }
  /// How long someone who waits for a date rests at most before looking at it again.
  package static let longestRest = Duration.seconds(60)

  /// The time after which to look whether a date has come, which is that many seconds away.
  package func rest(until seconds: TimeInterval) -> Duration {
    let time = Duration.clamping(seconds: seconds)
    return mayBeSet ? min(time, Self.longestRest) : time
  }

  package var now: RunMoment {
    let time = start.addingTimeInterval(Self.seconds(elapsed))
    if isStandard { return RunMoment(date: Date(), time: time) }
    return RunMoment(date: clocked?.date?() ?? time, time: time)
  }

  /// The time that has passed since a fixed moment.
  var elapsed: Duration { clocked?.advanced() ?? ContinuousClock.now - Self.origin }
}
