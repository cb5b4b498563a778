import Foundation

/// How far a run's dates are from its times, each from a time on: nothing, as long as nobody sets the clock.
struct ClockShifts: Sendable {
  private struct Shift: Sendable {
    let start: Date
    let seconds: Double
  }

  private var shifts: [Shift] = []

  /// Differences below are those of two readings, and of clocks that run a little faster or slower than others.
  private static let least = 0.1

  /// True if a moment's date is further from its time than another one was.
  static func isShifted(_ moment: RunMoment, from seconds: Double) -> Bool {
    abs(moment.date.timeIntervalSince(moment.time) - seconds) >= least
  }

  /// Notes how far a moment's date is from its time, which holds from a time on, and returns it.
  mutating func note(_ moment: RunMoment, from time: Date) -> Double {
    let seconds = moment.date.timeIntervalSince(moment.time)
    shifts.append(Shift(start: time, seconds: seconds))
    return seconds
  }

  func date(of time: Date) -> Date {
    shifts.last { $0.start <= time }.map { time.addingTimeInterval($0.seconds) } ?? time
  }
}
