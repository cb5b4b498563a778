import OperationFlow

/// A clock as other packages may have one: it offers only to sleep, and its time moves as a test decides.
///
/// It is for code that waits on such clocks. Everything else is tested with a `ManualClock`.
package final class StepClock: Clock, Sendable {
  package struct Instant: InstantProtocol {
    package var offset = Duration.zero

    package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    package func duration(to other: Instant) -> Duration { other.offset - offset }
    package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper: Sendable {
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State: Sendable {
    var now = Instant()
    var sleepers: [Int: Sleeper] = [:]
    /// The largest number of sleepers at the same time.
    var mostSleepers = 0
    var delays: [Duration] = []
    /// Waiters for a number of sleepers.
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    /// Sleeps that were cancelled before they began.
    var cancelled: Set<Int> = []

    mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
      let count = sleepers.count
      defer { watchers.removeAll { $0.count <= count } }
      return watchers.filter { $0.count <= count }.map(\.continuation)
    }
  }

  private let state = Locked(State())
  private let jumps: Bool

  /// Creates a clock that stands still until it is advanced, or that jumps to each moment that is waited for.
  package init(jumps: Bool = false) { self.jumps = jumps }

  package var now: Instant { state.withLock { $0.now } }
  package var minimumResolution: Duration { .nanoseconds(1) }
  /// The number of current sleepers, and the largest number at the same time.
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }
  package var mostSleepers: Int { state.withLock { $0.mostSleepers } }
  /// The time at which the first sleeper is woken; `nil` if none sleeps.
  package var nextDeadline: Duration? { state.withLock { $0.sleepers.values.map(\.deadline.offset).min() } }
  /// The duration that each sleep was started with.
  package var delays: [Duration] { state.withLock { $0.delays } }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    // Code that sleeps in a loop would occupy a thread of the language's pool alone.
    if jumps { await Task.yield() }
    let id = state.withLock { state in
      state.delays.append(deadline.offset - state.now.offset)
      if jumps { state.now = max(state.now, deadline) }
      return state.delays.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let (isOver, isCancelled, watchers) = state.withLock { state in
          if state.cancelled.remove(id) != nil { return (false, true, [CheckedContinuation<Void, Never>]()) }
          if deadline <= state.now { return (true, false, []) }
          state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
          state.mostSleepers = max(state.mostSleepers, state.sleepers.count)
          return (false, false, state.takeWatchers())
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        if isOver { continuation.resume() }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: id)
        if sleeper == nil { state.cancelled.insert(id) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Waits until at least `count` sleepers are there.
  package func waiting(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let watchers = state.withLock { state in
        state.watchers.append((count, continuation))
        return state.takeWatchers()
      }
      for watcher in watchers { watcher.resume() }
    }
  }

  /// Advances the time, and wakes the sleepers that are due.
  package func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }
}
