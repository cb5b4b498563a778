import Foundation
import OperationFlow

/// When limited work started in earlier processes, as far as the journal tells, so that a rate holds across a restart.
///
/// A journal has the ends of work, while a rate counts starts: work counts as if it had started when it ended, so that no
/// window contains too many. What was at work when the process ended isn't counted before it starts again.
struct EarlierStarts {
  /// The newest starts of each limiter, no more than its rate allows.
  private var starts: [ObjectIdentifier: (limiter: FlowLimiter, dates: [Date])] = [:]

  /// Notes the end of work that has had permits.
  mutating func note(_ settlement: JournalSettlement, _ limiters: [FlowLimiter]) {
    // What was cancelled may not have started.
    if case .cancelled = settlement.result { return }
    for limiter in limiters {
      guard let rate = limiter.rate else { continue }
      var dates = starts.removeValue(forKey: ObjectIdentifier(limiter))?.dates ?? []
      dates.append(settlement.date)
      // Now and then, because removing the first ones moves the rest.
      if dates.count / 2 > max(rate.starts, 0) { dates.removeFirst(dates.count - max(rate.starts, 0)) }
      starts[ObjectIdentifier(limiter)] = (limiter, dates)
    }
  }

  /// Lets the limiters count the starts.
  func tellLimiters(now: Date) {
    for (limiter, dates) in starts.values {
      guard let rate = limiter.rate else { continue }
      // A clock that was set back makes no start later than now.
      let ages = dates.suffix(max(rate.starts, 0)).map { Duration.seconds(max(0, now.timeIntervalSince($0))) }
      limiter.recordStarts(ago: ages.filter { $0 < rate.period })
    }
  }
}

extension Launch {
  /// For how long a step's starts count in the rates of its limiters; `nil` if it has no such limiter.
  func ratePeriod(of step: Int) -> Duration? {
    guard blueprint.has(.limits), blueprint.steps.indices.contains(step) else { return nil }
    return blueprint.steps[step].options?.limiters.compactMap(\.rate?.period).max()
  }
}
