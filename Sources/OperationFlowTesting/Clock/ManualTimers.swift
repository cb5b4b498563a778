import OperationFlow

/// The timers of a run on a manual clock, which makes calls itself, in order and without tasks.
final class ManualTimers: RunTimers {
  private struct State: Sendable {
    var calls: [TimerID: Int] = [:]
    /// Timers that were stopped before they were started, because different threads request both outside of locks.
    var stoppedEarly: Set<TimerID> = []
    var isOver = false
  }

  private let clock: ManualClock
  private let fire: @Sendable ([TimerID]) -> Void
  private let state = Locked(State())

  init(_ clock: ManualClock, fire: @escaping @Sendable ([TimerID]) -> Void) {
    self.clock = clock
    self.fire = fire
  }

  func apply(_ changes: [RunEffect]) {
    for change in changes {
      switch change {
      case .start(let timer, let time): start(timer, after: time)
      case .stop(let timer): stop(timer)
      default: break
      }
    }
  }

  private func start(_ timer: TimerID, after time: Duration) {
    state.withLock { state in
      if state.isOver || state.stoppedEarly.remove(timer) != nil { return }
      // Under the lock, so that the call isn't made before its number is stored.
      state.calls[timer] = clock.call(after: time.clamped()) { self.makeCall(of: timer) }
    }
  }

  private func stop(_ timer: TimerID) {
    let call = state.withLock { state -> Int? in
      let call = state.calls.removeValue(forKey: timer)
      if call == nil { state.stoppedEarly.insert(timer) }
      return call
    }
    if let call { clock.cancelCall(call) }
  }

  func stopAll() {
    let calls = state.withLock { state in
      defer { (state.calls, state.isOver) = ([:], true) }
      return state.calls.values.sorted()
    }
    for call in calls { clock.cancelCall(call) }
  }

  private func makeCall(of timer: TimerID) {
    if state.withLock({ $0.calls.removeValue(forKey: timer) }) != nil { fire([timer]) }
  }
}

extension ManualClock: TimerClock {
  package func makeRunTimers(fire: @escaping @Sendable ([TimerID]) -> Void) -> any RunTimers {
    ManualTimers(self, fire: fire)
  }
}
