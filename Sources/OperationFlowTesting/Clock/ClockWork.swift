import Dispatch
import OperationFlow

/// Performs the work of all runs on a clock, one piece after the other, and calls back when there is none.
final class ClockWork: Sendable {
  private struct State: Sendable {
    var jobs = Fifo<@Sendable () -> Void>()
    var isBusy = false
    /// The number of jobs so far.
    var jobCount = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
    var whenIdle: (@Sendable () -> Void)?
    /// True if `ifIdleLater(_:)` is going to check whether there was any work.
    var isWatched = false
  }

  private enum Next {
    case job(@Sendable () -> Void)
    case rest([CheckedContinuation<Void, Never>], (@Sendable () -> Void)?)
  }

  private let queue = DispatchQueue(label: "OperationFlowTesting.ManualClock")
  private let state = Locked(State())
  /// The real time after which the clock reports what it waits for; nothing else depends on it.
  private let patience: DispatchTimeInterval

  init(patience: DispatchTimeInterval = .seconds(10)) { self.patience = patience }

  /// Sets a function to be called each time all work is done, by the thread of the work.
  func whenIdle(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenIdle = body } }

  /// True if there is nothing to perform, and nothing is performed.
  var isIdle: Bool { state.withLock { !$0.isBusy } }

  func add(_ job: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.jobs.append(job)
      state.jobCount += 1
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if isFirst { queue.async { self.perform() } }
  }

  /// Starts a task whose parts are jobs, if the system has executors for tasks.
  func startTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      return Task(executorPreference: WorkExecutor(self)) { await work() }
    }
    return Task { await work() }
  }

  /// Returns when all work is done that can be done now.
  func untilIdle() async {
    // Otherwise tasks that call this in loops, while there is nothing to do, would occupy all threads.
    await Task.yield()
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.isBusy { state.waiters.append(continuation) }
        return !state.isBusy
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Calls `body` after a while if there was no work until then; otherwise, adds an empty job, so that all is checked
  /// again.
  func ifIdleLater(_ body: @escaping @Sendable () -> Void) {
    let count = state.withLock { state -> Int? in
      defer { state.isWatched = true }
      return state.isWatched ? nil : state.jobCount
    }
    guard let count else { return }
    queue.asyncAfter(deadline: .now() + patience) { [weak self] in
      guard let self else { return }
      let isIdle = state.withLock { state in
        state.isWatched = false
        return !state.isBusy && state.jobCount == count
      }
      if isIdle { body() } else { add {} }
    }
  }

  private func perform() {
    while true {
      let next = state.withLock { state -> Next in
        if let job = state.jobs.popFirst() { return .job(job) }
        state.isBusy = false
        defer { state.waiters = [] }
        return .rest(state.waiters, state.whenIdle)
      }
      switch next {
      case .job(let job): job()
      case .rest(let waiters, let whenIdle):
        for waiter in waiters { waiter.resume() }
        whenIdle?()
        return
      }
    }
  }
}

/// Turns the parts of tasks into jobs.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class WorkExecutor: TaskExecutor {
  private let work: ClockWork

  init(_ work: ClockWork) { self.work = work }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    work.add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
