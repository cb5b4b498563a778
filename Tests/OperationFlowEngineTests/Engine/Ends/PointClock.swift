import Foundation
import OperationFlowTesting
import TestSupport

@testable import OperationFlow

/// A clock that performs the lanes and tasks of its runs with a scheduler, and whose timers fire when a test asks.
///
/// A run calls its clock between its decisions and their effects, never under a lock: these calls are the points.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class PointClock: DrivenClock, TimerClock {
  private struct State: ~Copyable, Sendable {
    var now = Duration.zero
    var timers: [WeakTimers] = []
    var sleepers: [Int: (deadline: ManualClock.Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var sleepCount = 0
    /// Sleeps that were cancelled before they began.
    var cancelled: Set<Int> = []
  }

  private struct WeakTimers: Sendable {
    weak let timers: PointTimers?
  }

  let scheduler: PointScheduler
  let startDate = Date(timeIntervalSinceReferenceDate: 0)
  private let state = Locked(State())

  init(_ scheduler: PointScheduler) { self.scheduler = scheduler }

  var minimumResolution: Duration { .zero }
  var elapsed: Duration { now.offset }

  var now: ManualClock.Instant {
    scheduler.point()
    return state.withLock { state in
      state.now += .microseconds(1)
      return ManualClock.Instant(offset: state.now)
    }
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    scheduler.add(work)
    scheduler.point()
  }

  func startTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: PointExecutor(scheduler)) { await work() }
  }

  func join(_ run: DrivenRun, _ openWork: @escaping @Sendable (_ isWaiting: (DrivenWork) -> Bool) -> OpenWork?) {}
  func setWaiting(of work: DrivenWork, _ isWaiting: Bool) {}
  func hold(_ isHeld: Bool) { scheduler.point() }

  // MARK: Timers

  func makeRunTimers(fire: @escaping @Sendable ([TimerID]) -> Void) -> any RunTimers {
    let timers = PointTimers(self, fire: fire)
    state.withLock { $0.timers.append(WeakTimers(timers: timers)) }
    scheduler.point()
    return timers
  }

  /// The number of timers that run, and of sleepers.
  var waitingCount: Int {
    let (timers, count) = state.withLock { ($0.timers.compactMap(\.timers), $0.sleepers.count) }
    return timers.reduce(count) { $0 + $1.count }
  }

  /// Lets time pass until something is due, and fires it; returns false if nothing waits for the time.
  @discardableResult
  func fireNext() -> Bool {
    let timers = state.withLock { $0.timers.compactMap(\.timers) }
    let first = timers.compactMap(\.firstDeadline).min()
    let sleeper = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      let next = state.sleepers.min { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
      if let next, first.map({ next.value.deadline.offset < $0 }) ?? true {
        state.now = max(state.now, next.value.deadline.offset)
        return state.sleepers.removeValue(forKey: next.key)?.continuation
      }
      if let first { state.now = max(state.now, first) }
      return nil
    }
    sleeper?.resume()
    if sleeper == nil, let first { for timers in timers { timers.fireDue(at: first) } }
    return sleeper != nil || first != nil
  }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.sleepCount += 1
      return state.sleepCount
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(id) != nil { return true }
          state.sleepers[id] = (deadline, continuation)
          return false
        }
        scheduler.add {}
        if isCancelled { continuation.resume(throwing: CancellationError()) }
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
}

/// A clock with the timers of a `PointClock`, whose runs have their own threads and tasks.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
struct FreeClock: TimerClock {
  let clock: PointClock

  var now: ManualClock.Instant { clock.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }

  func makeRunTimers(fire: @escaping @Sendable ([TimerID]) -> Void) -> any RunTimers { clock.makeRunTimers(fire: fire) }
}

/// The timers of one run, which fire when the clock's test asks.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class PointTimers: RunTimers {
  private struct State: ~Copyable, Sendable {
    var heap = TimerHeap()
    var isOver = false
  }

  private let clock: PointClock
  private let fire: @Sendable ([TimerID]) -> Void
  private let state = Locked(State())

  init(_ clock: PointClock, fire: @escaping @Sendable ([TimerID]) -> Void) {
    self.clock = clock
    self.fire = fire
  }

  var count: Int { state.withLock { $0.heap.count } }
  var firstDeadline: Duration? { state.withLock { $0.heap.firstDeadline() } }

  func apply(_ changes: [RunEffect]) {
    let now = clock.elapsed
    state.withLock { state in
      for change in changes {
        switch change {
        case .start(let timer, let time) where !state.isOver: _ = state.heap.start(timer, now + time)
        case .stop(let timer): state.heap.stop(timer)
        default: break
        }
      }
    }
    // Whoever fires what is due has to look again.
    clock.scheduler.add {}
    clock.scheduler.point()
  }

  func stopAll() {
    state.withLock { state in
      state.isOver = true
      state.heap = TimerHeap()
    }
    clock.scheduler.point()
  }

  /// Fires what is due; anything may happen between the moment when a timer is due and that when its run is called.
  func fireDue(at now: Duration) {
    let due = state.withLock { $0.heap.takeDue(at: now) }
    clock.scheduler.point()
    if !due.isEmpty { fire(due) }
  }
}

/// Turns the parts of tasks into jobs.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class PointExecutor: TaskExecutor {
  private let scheduler: PointScheduler

  init(_ scheduler: PointScheduler) { self.scheduler = scheduler }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    scheduler.add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
