/// Waits on a run's clock for the timers that its state machine has asked for.
///
/// At most one task waits, for the timer that is due first, and none if no timer is requested. A timer that is stopped may
/// leave its task waiting, because a step that ends in time shouldn't cost a new one.
package protocol RunTimers: Sendable {
  /// Starts and stops what the state machine asks for, in order; other effects are none of theirs.
  func take(_ changes: [RunEffect])
  func stopAll()
}

/// A clock that makes the timers of its runs itself, such as one that is driven by a program.
package protocol TimerClock: Clock<Duration> {
  /// Makes timers that call `fire` with those whose times are over.
  func makeRunTimers(fire: @escaping @Sendable ([TimerID]) -> Void) -> any RunTimers
}

/// The timers on a clock of any type.
///
/// It counts in times since its beginning: code for the instants of any clock would be many times as slow.
final class ClockTimers: RunTimers {
  private struct Wait: Sendable {
    let deadline: Duration
    let number: Int
    /// Set once the task is made.
    var task: Task<Void, Never>?
  }

  private struct State: ~Copyable, Sendable {
    var timers = TimerHeap()
    var wait: Wait?
    var waitCount = 0
    var isOver = false
  }

  /// The time since the beginning.
  private let now: @Sendable () -> Duration
  /// Waits until a time since the beginning; throws if the task is cancelled.
  private let sleep: @Sendable (_ deadline: Duration) async throws -> Void
  private let fire: @Sendable ([TimerID]) -> Void
  private let state = Locked(State())

  /// Makes timers that call `fire` with those whose times are over, in the order of their deadlines.
  init<RunClock: Clock<Duration>>(_ clock: RunClock, fire: @escaping @Sendable ([TimerID]) -> Void) {
    let origin = clock.now
    now = { origin.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
    self.fire = fire
  }

  func take(_ changes: [RunEffect]) {
    let now = now()
    let isFirst = state.withLock { state in
      var isFirst = false
      for change in changes {
        switch change {
        case .start(let timer, let time):
          let deadline = now + time.clamped()
          guard !state.isOver, state.timers.start(timer, deadline) else { continue }
          if state.wait.map({ deadline < $0.deadline }) ?? true { isFirst = true }
        case .stop(let timer): state.timers.stop(timer)
        default: break
        }
      }
      return isFirst
    }
    if isFirst { renewWait() }
  }

  func stopAll() {
    let wait = state.withLock { state in
      state.isOver = true
      state.timers = TimerHeap()
      return state.wait.take()
    }
    wait?.task?.cancel()
  }

  /// Makes sure that one task waits for the first of the timers.
  private func renewWait() {
    let (old, new) = state.withLock { state -> (Wait?, Wait?) in
      guard let first = state.timers.firstDeadline() else { return (nil, nil) }
      if let wait = state.wait, wait.deadline <= first { return (nil, nil) }
      state.waitCount += 1
      let new = Wait(deadline: first, number: state.waitCount)
      defer { state.wait = new }
      return (state.wait, new)
    }
    old?.task?.cancel()
    guard let new else { return }
    let task = Task {
      guard (try? await self.sleep(new.deadline)) != nil else { return }
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
    let now = now()
    let due = state.withLock { state -> [TimerID] in
      guard state.wait?.number == wait else { return [] }
      state.wait = nil
      return state.timers.takeDue(at: now)
    }
    renewWait()
    if !due.isEmpty { fire(due) }
  }
}

extension Clock where Duration == Swift.Duration {
  package func makeTimers(fire: @escaping @Sendable ([TimerID]) -> Void) -> any RunTimers {
    if let clock = self as? any TimerClock { return clock.makeRunTimers(fire: fire) }
    return ClockTimers(self, fire: fire)
  }
}
