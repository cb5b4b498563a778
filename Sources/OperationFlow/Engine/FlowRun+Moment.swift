import Foundation

extension FlowRun {
  /// The state of the run at a moment on its clock, besides what it waits for; its name is without what the record hides.
  ///
  /// The duration is `nil` if the run has not begun; the quiet one is that for which nothing has been recorded.
  package var moment:
    (flowName: String, date: Date, duration: Duration?, quietDuration: Duration, isPaused: Bool, hasEnded: Bool)
  {
    let name = secrets.scrubbing(flowName)
    guard let engine else { return (name, recorder.lastDate, currentOutcome?.report.duration, .zero, false, true) }
    let now = engine.dates.now
    let (beganAt, hasEnded) = engine.state.withLock { ($0.beganAt, $0.outcome.current != nil) }
    let duration = beganAt.map { engine.dates.elapsed - $0 }
    let began = duration.map { now.addingTimeInterval(-($0 / .seconds(1))) } ?? now
    let quiet = max(0, now.timeIntervalSince(max(recorder.lastDate, began)))
    return (name, now, duration, .seconds(quiet), engine.isPaused, hasEnded)
  }
}
