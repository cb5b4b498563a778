import Foundation

/// The dates of a run, and the time that has passed in it: the system's, or those of the clock that the run uses.
package struct RunDates: Sendable {
  package static let standard = RunDates(
    isStandard: true, start: .distantPast, advanced: { [origin = ContinuousClock.now] in .now - origin })

  /// Checked first, because reading the closure would count a reference for each event.
  @usableFromInline let isStandard: Bool
  private let advanced: @Sendable () -> Duration
  private let start: Date

  private init(isStandard: Bool = false, start: Date, advanced: @escaping @Sendable () -> Duration) {
    (self.isStandard, self.start, self.advanced) = (isStandard, start, advanced)
  }

  /// The dates by a clock: the clock's own if it has any, otherwise the current date and the time that passes from now on.
  package init(by clock: any Clock<Duration>) {
    // Comparing types costs less than a cast.
    if type(of: clock) == ContinuousClock.self {
      self = .standard
    } else if let clock = clock as? any DrivenClock {
      // The times between dates that are no points in time would be none either.
      self.init(start: min(.distantFuture, max(.distantPast, clock.startDate))) { clock.elapsed }
    } else {
      self.init(start: Date(), advanced: Self.elapsed(on: clock))
    }
  }

  private static func elapsed(on clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let origin = clock.now
    return { origin.duration(to: clock.now) }
  }

  @inline(__always)
  package var now: Date { isStandard ? Date() : shifted }

  /// The time that has passed since a fixed moment.
  var elapsed: Duration { advanced() }

  @inline(never)
  private var shifted: Date { start.addingTimeInterval(advanced() / .seconds(1)) }
}
