/// Keeps the timers of a run that is restored, until it goes on.
final class ReplayTimers: RunTimers {
  private let times = Locked<[TimerID: Duration]>([:])

  func take(_ changes: TimerChanges) {
    times.withLock { times in
      changes.forEach { change in
        switch change {
        case .start(let timer, let time): times[timer] = time
        case .stop(let timer): times[timer] = nil
        case .cancel, .abandon, .retryDenied, .groupStopped, .closed: break
        }
      }
    }
  }

  func stopAll() { times.withLock { $0 = [:] } }

  /// Those that have been started and not stopped.
  var started: [TimerID: Duration] { times.withLock { $0 } }
}
