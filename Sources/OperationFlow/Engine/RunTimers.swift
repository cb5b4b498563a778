/// Waits on a run's clock for the timers that its state machine has asked for.
///
/// At most one task waits, for the timer that is due first, and none while there is no timer.
protocol RunTimers: Sendable {
  func start(_ timer: TimerID, after time: Duration)
  func stop(_ timer: TimerID)
}

extension RunTimers {
  /// Starts and stops what the state machine asks for.
  func take(_ effects: [RunEffect]) {
    for effect in effects {
      switch effect {
      case .start(let timer, let time): start(timer, after: time)
      case .stop(let timer): stop(timer)
      case .cancel, .groupStopped, .closed: break
      }
    }
  }
}

/// The timers on a clock of a certain type.
final class ClockTimers<RunClock: Clock>: RunTimers where RunClock.Duration == Duration {
  private struct Wait: Sendable {
    let deadline: RunClock.Instant
    let number: Int
    /// Set once the task is made.
    var task: Task<Void, Never>?
  }

  private struct State: Sendable {
    var deadlines: [TimerID: RunClock.Instant] = [:]
    /// Timers whose stop came before their start: both are asked for outside of locks, by different threads.
    var stoppedEarly: Set<TimerID> = []
    var wait: Wait?
    var waitCount = 0
  }

  private let clock: RunClock
  private let fire: @Sendable (TimerID) -> Void
  private let state = Locked(State())

  /// Makes timers that call `fire` when their times are over, one after the other, in the order of their deadlines.
  init(_ clock: RunClock, fire: @escaping @Sendable (TimerID) -> Void) {
    self.clock = clock
    self.fire = fire
  }

  func start(_ timer: TimerID, after time: Duration) {
    let deadline = clock.now.advanced(by: time)
    renewWait { state in
      if state.stoppedEarly.remove(timer) == nil { state.deadlines[timer] = deadline }
    }
  }

  func stop(_ timer: TimerID) {
    renewWait { state in
      if state.deadlines.removeValue(forKey: timer) == nil { state.stoppedEarly.insert(timer) }
    }
  }

  /// Changes which timers to wait for, and makes sure that one task waits for the first of them.
  private func renewWait(_ change: (inout State) -> Void) {
    let (old, new) = state.withLock { state -> (Wait?, Wait?) in
      change(&state)
      guard let first = state.deadlines.values.min() else {
        defer { state.wait = nil }
        return (state.wait, nil)
      }
      if let wait = state.wait, wait.deadline <= first { return (nil, nil) }
      defer {
        state.waitCount += 1
        state.wait = Wait(deadline: first, number: state.waitCount)
      }
      return (state.wait, Wait(deadline: first, number: state.waitCount + 1))
    }
    old?.task?.cancel()
    guard let new else { return }
    let task = Task {
      guard (try? await self.clock.sleep(until: new.deadline, tolerance: nil)) != nil else { return }
      self.fireDue(new.number)
    }
    let isOver = state.withLock { state in
      guard state.wait?.number == new.number else { return true }
      state.wait?.task = task
      return false
    }
    if isOver { task.cancel() }
  }

  private func fireDue(_ wait: Int) {
    let now = clock.now
    var due: [TimerID] = []
    renewWait { state in
      guard state.wait?.number == wait else { return }
      state.wait = nil
      let over = state.deadlines.filter { $0.value <= now }
      due = over.sorted { ($0.value, $0.key.place) < ($1.value, $1.key.place) }.map(\.key)
      for timer in due { state.deadlines[timer] = nil }
    }
    for timer in due { fire(timer) }
  }
}

extension Clock where Duration == Swift.Duration {
  /// Timers on this clock.
  func makeTimers(fire: @escaping @Sendable (TimerID) -> Void) -> any RunTimers { ClockTimers(self, fire: fire) }
}
