import Foundation
import OperationFlow

/// The starts of limited work in earlier processes, from the journal, so that a rate also applies across a restart.
///
/// A journal has the ends of work, while a rate counts starts: each end counts as a start, so that no window contains
/// too many. Work that was running when the process ended counts when it starts again.
struct EarlierStarts {
  /// The newest starts of each limiter, at most about twice as many as its rate allows.
  private var starts: [ObjectIdentifier: (limiter: FlowLimiter, dates: [Date])] = [:]

  /// Adds the end of work that had permits.
  mutating func add(_ settlement: JournalSettlement, _ limiters: [FlowLimiter]) {
    // Cancelled work may not have started.
    if case .cancelled = settlement.result { return }
    for limiter in limiters {
      guard let rate = limiter.rate else { continue }
      var dates = starts.removeValue(forKey: ObjectIdentifier(limiter))?.dates ?? []
      dates.append(settlement.date)
      // Old dates are removed only now and then, because removing the first ones moves the rest.
      if dates.count / 2 > max(rate.starts, 0) { dates.removeFirst(dates.count - max(rate.starts, 0)) }
      starts[ObjectIdentifier(limiter)] = (limiter, dates)
    }
  }

  /// Records the starts in their limiters.
  func tellLimiters(now: Date) {
    for (limiter, dates) in starts.values {
      guard let rate = limiter.rate else { continue }
      // A start isn't later than now, even if the clock was set back.
      let ages = dates.suffix(max(rate.starts, 0)).map { Duration.seconds(max(0, now.timeIntervalSince($0))) }
      limiter.recordStarts(ago: ages.filter { $0 < rate.period })
    }
  }
}

extension Launch {
  /// Returns for how long a step's starts count in the rates of its limiters; `nil` if none of them has a rate.
  func ratePeriod(of step: Int) -> Duration? {
    guard blueprint.has(.limits), blueprint.steps.indices.contains(step) else { return nil }
    return blueprint.steps[step].options?.limiters.compactMap(\.rate?.period).max()
  }
}
