import Foundation
import TestSupport

@testable import OperationFlow

/// Performs jobs on threads of which only one has the turn, which it passes on at the points that a job reaches.
///
/// Code between two points runs alone, so the same order gives the same run. No lock may be held at a point.
final class PointScheduler: Sendable {
  typealias Job = @Sendable () -> Void

  /// The order of jobs, and the points at which a job is interrupted.
  enum Order: Sendable {
    /// Jobs run in any order, and are interrupted at one of so many points.
    case random(SeededGenerator, oneIn: Int)
    /// Jobs run in their order, and one is interrupted once, at this point, by a job that runs to its end; `untilIdle`
    /// if the interrupted job only continues when there is no other.
    case interrupted(at: Int, by: Job, untilIdle: Bool)
  }

  /// A thread for one job at a time.
  private final class Worker: Sendable {
    let turn = DispatchSemaphore(value: 0)
    /// The job to begin with at the next turn; without one, a job continues, or the thread ends.
    let job = Locked<Job?>(nil)
    let thread = Locked<ObjectIdentifier?>(nil)
  }

  private struct State: Sendable {
    var order: Order
    var jobs: [Job] = []
    /// The workers that are interrupted at a point.
    var interrupted: [Worker] = []
    var idle: [Worker] = []
    var active: Worker?
    var workerCount = 0
    var pointCount = 0
    var jobCount = 0
    var isOver = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// The one who waits for a job.
    var watcher: CheckedContinuation<Void, Never>?
  }

  private enum Turn {
    case job(Job)
    case worker(Worker)
  }

  private static let mostWorkers = 4
  private let state: Locked<State>

  init(_ order: Order) { state = Locked(State(order: order)) }

  /// The number of points that were passed.
  var pointCount: Int { state.withLock { $0.pointCount } }

  /// The number of jobs that were added.
  var jobCount: Int { state.withLock { $0.jobCount } }

  /// Adds a job; any thread may call it.
  func add(_ job: @escaping Job) {
    let (worker, watcher) = state.withLock { state -> (Worker?, CheckedContinuation<Void, Never>?) in
      state.jobs.append(job)
      state.jobCount += 1
      let watcher = state.watcher.take()
      guard state.active == nil, !state.isOver else { return (nil, watcher) }
      return (begin(state.jobs.removeFirst(), &state), watcher)
    }
    worker?.turn.signal()
    watcher?.resume()
  }

  /// Passes a point, at which another job may get the turn; other threads only let some time pass.
  func point() {
    let thread = ObjectIdentifier(Thread.current)
    if !state.withLock({ $0.active?.thread.withLock { $0 == thread } ?? false }) { return delay() }
    let (own, next) = state.withLock { state -> (Worker?, Worker?) in
      guard let own = state.active, own.thread.withLock({ $0 == thread }) else { return (nil, nil) }
      defer { state.pointCount += 1 }
      guard let turn = interruption(&state) else { return (own, nil) }
      state.interrupted.append(own)
      return (own, take(turn, &state))
    }
    guard let own, let next else { return }
    next.turn.signal()
    own.turn.wait()
  }

  /// Lets a random time pass in a thread that isn't one of the workers.
  private func delay() {
    let count = state.withLock { state -> Int in
      guard case .random(var random, let rarity) = state.order else { return 0 }
      defer { state.order = .random(random, oneIn: rarity) }
      return random.oneIn(rarity) ? random.below(20) : 0
    }
    for _ in 0..<count { sched_yield() }
  }

  /// Returns once more jobs than `count` were added.
  func untilJob(after count: Int) async {
    await withCheckedContinuation { continuation in
      let isAdded = state.withLock { state in
        if state.jobCount == count { state.watcher = continuation }
        return state.jobCount > count
      }
      if isAdded { continuation.resume() }
    }
  }

  /// Returns when no job is left.
  func untilIdle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.active != nil { state.waiters.append(continuation) }
        return state.active == nil
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Ends the threads; no job may be left.
  func stop() {
    let idle = state.withLock { state in
      state.isOver = true
      return exchange(&state.idle, with: [])
    }
    for worker in idle { worker.turn.signal() }
  }

  // MARK: Under the lock

  /// Returns who interrupts the active worker at this point; `nil` if it continues.
  private func interruption(_ state: inout State) -> Turn? {
    switch state.order {
    case .random(var random, let rarity):
      let mayBegin = !state.idle.isEmpty || state.workerCount < Self.mostWorkers
      let count = state.interrupted.count + (mayBegin ? state.jobs.count : 0)
      defer { state.order = .random(random, oneIn: rarity) }
      guard count > 0, random.oneIn(rarity) else { return nil }
      return remove(random.below(count), &state)
    case .interrupted(let point, let job, _): return point == state.pointCount ? .job(job) : nil
    }
  }

  /// Returns who has the turn after a job has ended; `nil` if there is nothing to do.
  private func successor(_ state: inout State) -> Turn? {
    let count = state.interrupted.count + state.jobs.count
    guard count > 0 else { return nil }
    switch state.order {
    case .random(var random, let rarity):
      defer { state.order = .random(random, oneIn: rarity) }
      return remove(random.below(count), &state)
    case .interrupted(_, _, let untilIdle):
      let jobsFirst = untilIdle && !state.jobs.isEmpty
      return remove(jobsFirst || state.interrupted.isEmpty ? state.interrupted.count : 0, &state)
    }
  }

  /// Removes an interrupted worker, or one of the jobs, which are counted after the workers.
  private func remove(_ index: Int, _ state: inout State) -> Turn {
    let count = state.interrupted.count
    return index < count ? .worker(state.interrupted.remove(at: index)) : .job(state.jobs.remove(at: index - count))
  }

  private func take(_ turn: Turn, _ state: inout State) -> Worker {
    switch turn {
    case .job(let job): return begin(job, &state)
    case .worker(let worker):
      state.active = worker
      return worker
    }
  }

  /// Lets a worker begin with a job at its next turn.
  private func begin(_ job: @escaping Job, _ state: inout State) -> Worker {
    let worker = state.idle.popLast() ?? makeWorker(&state)
    worker.job.withLock { $0 = job }
    state.active = worker
    return worker
  }

  // MARK: Threads

  private func makeWorker(_ state: inout State) -> Worker {
    let worker = Worker()
    state.workerCount += 1
    Thread.detachNewThread { [self] in
      worker.thread.withLock { $0 = ObjectIdentifier(Thread.current) }
      while true {
        worker.turn.wait()
        guard worker.job.withLock({ $0 != nil }) else { return }
        repeat { worker.job.withLock({ $0.take() })?() } while passTurn(worker)
      }
    }
    return worker
  }

  /// Passes the turn on after a job; returns true if the worker itself has a new job.
  private func passTurn(_ worker: Worker) -> Bool {
    let (next, waiters) = state.withLock { state -> (Worker?, [CheckedContinuation<Void, Never>]) in
      state.idle.append(worker)
      guard let turn = successor(&state) else {
        state.active = nil
        return (nil, exchange(&state.waiters, with: []))
      }
      return (take(turn, &state), [])
    }
    for waiter in waiters { waiter.resume() }
    if next === worker { return true }
    next?.turn.signal()
    return false
  }
}
