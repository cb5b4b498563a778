import OperationFlow

/// Keeps the timers of a run that is restored, until it goes on.
final class RestoredTimers: RunTimers {
  private let state = Locked((times: [TimerID: Duration](), latest: TimerID?.none))

  func take(_ changes: TimerChanges) {
    state.withLock { state in
      changes.forEach { timer, time in
        state.times[timer] = time
        state.latest = timer
      } stop: {
        state.times[$0] = nil
      }
    }
  }

  func stop(_ timer: TimerID) { state.withLock { $0.times[timer] = nil } }

  func stopAll() { state.withLock { $0.times = [:] } }

  /// Those that have been started and not stopped.
  var started: [TimerID: Duration] { state.withLock { $0.times } }

  /// The one that was started last.
  var latest: TimerID? { state.withLock { $0.latest } }
}
