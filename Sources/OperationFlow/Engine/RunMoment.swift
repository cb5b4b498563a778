import Foundation

/// The state of a run at a moment, besides what it waits for.
package struct RunMoment: Sendable {
  /// The flow's name, without what the record hides.
  package let flowName: String
  /// The moment, on the run's clock.
  package let date: Date
  /// The time for which the run has been under way; `nil` if it has not begun.
  package let duration: Duration?
  /// The time for which nothing has been recorded.
  package let quietDuration: Duration
  package let isPaused: Bool
  package let hasEnded: Bool
}

extension FlowRun {
  package var moment: RunMoment {
    let name = secrets.scrubbing(flowName)
    if let engine { return engine.moment(named: name) }
    return RunMoment(
      flowName: name, date: recorder.lastDate, duration: currentOutcome?.report.duration, quietDuration: .zero,
      isPaused: false, hasEnded: true)
  }
}

extension RunEngine {
  fileprivate func moment(named name: String) -> RunMoment {
    let now = dates.now
    let (beganAt, hasEnded) = state.withLock { ($0.beganAt, $0.outcome.current != nil) }
    return RunMoment(
      flowName: name, date: now, duration: beganAt.map { dates.elapsed - $0 },
      quietDuration: .seconds(max(0, now.timeIntervalSince(max(recorder.lastDate, began(before: now))))),
      isPaused: isPaused, hasEnded: hasEnded)
  }

  /// When the run began; `now` if it has not.
  private func began(before now: Date) -> Date {
    state.withLock { $0.beganAt }.map { now.addingTimeInterval(-((dates.elapsed - $0) / .seconds(1))) } ?? now
  }
}
