import OperationFlow

/// Keeps the timers of a run that is restored, until it goes on.
final class RestoredTimers: RunTimers {
  private let state = Locked((times: [TimerID: Duration](), latest: TimerID?.none))

  func apply(_ changes: [RunEffect]) {
    state.withLock { state in
      for change in changes {
        switch change {
        case .start(let timer, let time):
          state.times[timer] = time
          state.latest = timer
        case .stop(let timer): state.times[timer] = nil
        default: break
        }
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
