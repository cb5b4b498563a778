import Foundation

/// Starts and stops the timers that a run's state machine requests.
package protocol RunTimers: Sendable {
  /// Starts and stops timers in order, and ignores other effects.
  func apply(_ changes: [RunEffect])
  func stopAll()
}

/// A clock that makes the timers of its runs itself, such as one that a program drives.
package protocol TimerClock: Clock<Duration> {
  /// Makes timers that call `fire` with those that are due.
  func makeRunTimers(fire: @escaping @Sendable ([TimerID]) -> Void) -> any RunTimers
}

/// The timers on a clock of any type.
///
/// At most one task waits, for the timer that is due first. It may wait for a timer that was stopped, because a step
/// that ends in time should need no new task.
///
/// Times are durations since the creation: code for the instants of any clock would be many times as slow.
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

  /// Returns the time since the creation.
  private let now: @Sendable () -> Duration
  /// Waits until a time since the creation; throws if the task is cancelled.
  private let sleep: @Sendable (_ deadline: Duration) async throws -> Void
  private let fire: @Sendable ([TimerID]) -> Void
  private let state = Locked(State())

  /// Creates timers that call `fire` with those that are due, in the order of their deadlines.
  init<RunClock: Clock<Duration>>(_ clock: RunClock, fire: @escaping @Sendable ([TimerID]) -> Void) {
    let origin = clock.now
    now = { origin.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
    self.fire = fire
  }

  func apply(_ changes: [RunEffect]) {
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

  /// Ensures that one task waits for the first timer.
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

extension RunEngine {
  /// Warns whenever nothing happens for the time that the flow's user has set, until the run ends.
  func watchForQuiet() {
    guard let limit = limits.quietTime?.clamped() else { return }
    let work: @Sendable () async -> Void = { [weak self, clock, recorder, dates] in
      /// The number of the last warning's event, while it is the newest event.
      var warning = -1
      var wait = limit
      /// The newest event that was seen, and the time at which it happened.
      var seen = (number: -1, time: dates.elapsed)
      var lastLook = seen.time
      // A task that is cancelled doesn't sleep: the run has ended.
      while (try? await clock.sleep(for: wait)) != nil, let newest = recorder.newest {
        let now = dates.elapsed
        if newest.number != seen.number {
          let age = Duration.clamping(seconds: dates.now.time.timeIntervalSince(newest.time))
          seen = (newest.number, now - age.clamped(to: .zero...max(.zero, now - lastLook)))
        }
        lastLook = now
        let quiet = now - seen.time
        // An event in the meantime restarts the time.
        wait = quiet < limit ? limit - quiet : limit
        guard quiet >= limit, newest.number != warning, let self else { continue }
        self.warn(afterQuiet: quiet)
        warning = recorder.newest?.number ?? warning
      }
    }
    // A driven clock waits until the watch has looked, so that no time passes meanwhile.
    let watch = (clock as? any DrivenClock)?.startTask(work) ?? Task(operation: work)
    // The run may have ended before there was anything to cancel.
    let isOver = state.withLock { state in
      state.quietWatch = watch
      return state.outcome.current != nil
    }
    if isOver { watch.cancel() }
  }

  private func warn(afterQuiet time: Duration) {
    let now = self.time
    let waiting = waitingFor.prefix(3).map { $0.text(at: now) }
    let rest = waiting.isEmpty ? (isPaused ? " The run is paused." : "") : " " + waiting.joined(separator: "; ") + "."
    recorder.record(.warned("nothing has happened for \(DurationText.of(time)).\(rest)"), source: source)
  }
}

// Reports to a clock that a program drives, so that no time passes while the run has something to do.
extension RunEngine {
  /// Registers the run with its clock, which asks it for its open work.
  func joinClock() {
    if let driven { driven.clock?.join(driven) { [weak self] in self?.openWork($0) } }
  }

  /// Calls the code of a piece of work, for which a driven clock then counts it.
  func calling<Result>(_ ticket: WorkTicket, _ body: () throws -> Result) rethrows -> Result {
    guard let driven else { return try body() }
    return try DrivenWork.$current.withValue(DrivenWork(driven, ticket), operation: body)
  }

  /// Stops (`true`) or restarts (`false`) a driven clock, between a decision and its effects outside the lock.
  func holdClock(_ isHeld: Bool) {
    if let driven { driven.clock?.hold(isHeld) }
  }

  /// Returns the work that has begun and not ended, unless it waits for the clock or for other work.
  ///
  /// It returns `nil` after the end of the run.
  private func openWork(_ isWaiting: (DrivenWork) -> Bool) -> OpenWork? {
    guard let driven else { return nil }
    let claims = state.withLock { state -> [(ticket: WorkTicket, cancellable: Cancellable)]? in
      guard state.outcome.current == nil else { return nil }
      return state.machine.claims.all.compactMap { ticket, _ in
        guard let claim = state.claims[ticket], !claim.work.isBookkeeping, !isWaiting(DrivenWork(driven, ticket)) else {
          return nil
        }
        if state.machine.holdsUserWork, state.machine.isResumed(ticket) { return nil }
        if claim.reason == .limit, claim.permits?.awaited?.waitsForTime(besides: driven.clock) != true { return nil }
        if case .operation(is any WaitingOperation) = claim.cancellable { return nil }
        // This result waits for the delivery of another one.
        if case .nothing = claim.cancellable, claim.work.kind == .deliver { return nil }
        return (ticket, claim.cancellable)
      }
    }
    guard let claims else { return nil }
    let tickets = Set(claims.lazy.filter { !$0.cancellable.waitsForOperations }.map(\.ticket))
    return (
      isEmpty: tickets.isEmpty,
      names: { [weak self] in
        self.map { engine in engine.waiting(among: tickets).map { "\($0.source) of \(engine.flowName)" } } ?? []
      }
    )
  }
}
