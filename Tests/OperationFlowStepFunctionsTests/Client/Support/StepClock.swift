import OperationFlow

/// A clock that stands still until a test moves it, or that jumps to each moment that is waited for.
final class StepClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let id: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State: Sendable {
    var now = Instant(offset: .zero)
    var delays: [Duration] = []
    var nextID = 0
    var cancelled: Set<Int> = []
    var sleepers: [Sleeper] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())
  private let jumps: Bool

  /// Creates a clock; `jumps` says whether no one has to wait on it.
  init(jumps: Bool) { self.jumps = jumps }

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  /// How long was waited, each time.
  var delays: [Duration] { state.withLock { $0.delays } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.delays.append(deadline.offset - state.now.offset)
      if jumps { state.now = max(state.now, deadline) }
      state.nextID += 1
      return state.nextID
    }
    try Task.checkCancellation()
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (result, watchers) = state.withLock { state in
          if state.cancelled.contains(id) { return (Bool?.some(false), [CheckedContinuation<Void, Never>]()) }
          if deadline <= state.now { return (true, []) }
          state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          return (nil, Self.takeWatchers(&state))
        }
        for watcher in watchers { watcher.resume() }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        let sleeper = state.sleepers.first { $0.id == id }
        state.sleepers.removeAll { $0.id == id }
        return sleeper
      }
      sleeper?.continuation.resume(returning: false)
    }
    if !isOver { throw CancellationError() }
  }

  /// Waits until at least this many wait on the clock.
  func waiting(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let watchers = state.withLock { state in
        state.watchers.append((count, continuation))
        return Self.takeWatchers(&state)
      }
      for watcher in watchers { watcher.resume() }
    }
  }

  /// Lets time pass.
  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let due = state.sleepers.filter { $0.deadline <= now }
      state.sleepers.removeAll { $0.deadline <= now }
      return due
    }
    for sleeper in due { sleeper.continuation.resume(returning: true) }
  }

  private static func takeWatchers(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
    let count = state.sleepers.count
    defer { state.watchers.removeAll { $0.count <= count } }
    return state.watchers.filter { $0.count <= count }.map(\.continuation)
  }
}
