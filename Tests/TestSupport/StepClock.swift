import OperationFlow

/// A clock as other packages may have one, whose time goes on as a test says: all that it offers is to sleep.
///
/// It is for what waits on such clocks. Everything else is tested with a `ManualClock`.
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
    /// How many slept at once at most.
    var mostSleepers = 0
    var delays: [Duration] = []
    /// Those that wait until so many sleep.
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

  /// Creates a clock that stands still until it is moved, or that jumps to each moment that is waited for.
  package init(jumps: Bool = false) { self.jumps = jumps }

  package var now: Instant { state.withLock { $0.now } }
  package var minimumResolution: Duration { .nanoseconds(1) }
  /// How many sleep now, and how many have at once at most.
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }
  package var mostSleepers: Int { state.withLock { $0.mostSleepers } }
  /// When the first of those that sleep is woken; `nil` if none sleeps.
  package var nextDeadline: Duration? { state.withLock { $0.sleepers.values.map(\.deadline.offset).min() } }
  /// How long each sleep was to last.
  package var delays: [Duration] { state.withLock { $0.delays } }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    // Who sleeps in a loop would have a thread of the language's pool for itself.
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

  /// Waits until at least this many sleep.
  package func waiting(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let watchers = state.withLock { state in
        state.watchers.append((count, continuation))
        return state.takeWatchers()
      }
      for watcher in watchers { watcher.resume() }
    }
  }

  /// Lets time go on, and wakes those whose time has come.
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
