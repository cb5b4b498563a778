@testable import OperationFlow

/// A clock as other packages may have one: time goes on only when a test says so, and all that it offers is to sleep.
///
/// It is for the timers that wait on such clocks. Everything else is tested with a `ManualClock`.
final class SleepingClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset = Duration.zero

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper: Sendable {
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State: Sendable {
    var now = Instant()
    var sleepers: [Int: Sleeper] = [:]
    var sleepCount = 0
    /// How many slept at once at most.
    var mostSleepers = 0
    /// Those that wait until something sleeps.
    var watchers: [CheckedContinuation<Void, Never>] = []
    /// Sleeps that were cancelled before they began.
    var cancelled: Set<Int> = []
  }

  private let state = Locked(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }
  /// How many sleep now, and how many have at once at most.
  var sleeperCount: Int { state.withLock { $0.sleepers.count } }
  var mostSleepers: Int { state.withLock { $0.mostSleepers } }
  /// When the first of those that sleep is woken; `nil` if none sleeps.
  var nextDeadline: Duration? { state.withLock { $0.sleepers.values.map(\.deadline.offset).min() } }
  /// How often somebody has slept.
  var sleepCount: Int { state.withLock { $0.sleepCount } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.sleepCount += 1
      return state.sleepCount
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let (isOver, isCancelled, watchers) = state.withLock { state in
          if state.cancelled.remove(id) != nil { return (false, true, [CheckedContinuation<Void, Never>]()) }
          if deadline <= state.now { return (true, false, []) }
          state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
          state.mostSleepers = max(state.mostSleepers, state.sleepers.count)
          defer { state.watchers = [] }
          return (false, false, state.watchers)
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

  /// Waits until something sleeps.
  func somethingSleeps() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sleepers.isEmpty { state.watchers.append(continuation) }
        return !state.sleepers.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }

  /// Lets time go on, and wakes those whose time has come.
  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }
}
