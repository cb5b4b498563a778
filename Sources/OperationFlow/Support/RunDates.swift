import Foundation

/// The dates of a run, and the time that has passed in it: the system's, or those of the clock that the run uses.
package struct RunDates: Sendable {
  private final class Clocked: Sendable {
    let start: Date
    let advanced: @Sendable () -> Duration

    init(start: Date, advanced: @escaping @Sendable () -> Duration) { (self.start, self.advanced) = (start, advanced) }
  }

  package static var standard: RunDates { RunDates(clocked: nil) }
  private static let origin = ContinuousClock.now

  /// `nil` for nearly all runs, whose copies of the dates then count no references.
  private let clocked: Clocked?

  private init(clocked: Clocked?) { self.clocked = clocked }

  /// The dates by a clock: the clock's own if it has any, otherwise the current date and the time that passes from now on.
  package init(by clock: any Clock<Duration>) {
    // Comparing types costs less than a cast.
    if type(of: clock) == ContinuousClock.self {
      clocked = nil
    } else if let clock = clock as? any DrivenClock {
      // The times between dates that are no points in time would be none either.
      clocked = Clocked(start: min(.distantFuture, max(.distantPast, clock.startDate))) { clock.elapsed }
    } else {
      clocked = Clocked(start: Date(), advanced: Self.elapsed(on: clock))
    }
  }

  private static func elapsed(on clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let origin = clock.now
    return { origin.duration(to: clock.now) }
  }

  @inline(__always)
  var isStandard: Bool { clocked == nil }

  @inline(__always)
  package var now: Date { isStandard ? Date() : shifted }

  /// The time that has passed since a fixed moment.
  @inline(never)
  var elapsed: Duration { clocked?.advanced() ?? ContinuousClock.now - Self.origin }

  @inline(never)
  private var shifted: Date { clocked.map { $0.start.addingTimeInterval($0.advanced() / .seconds(1)) } ?? Date() }
}
