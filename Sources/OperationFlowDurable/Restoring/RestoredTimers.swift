import OperationFlow

/// Records the timers of a run that is being restored, until the run continues.
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

  /// The timers that were started and not stopped.
  var started: [TimerID: Duration] { state.withLock { $0.times } }

  /// The timer that was started last.
  var latest: TimerID? { state.withLock { $0.latest } }
}
