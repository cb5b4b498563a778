import Dispatch
import Foundation
import OperationFlow

/// Performs the work of all runs on a clock, one piece after the other, and knows when there is none.
final class ClockWork: Sendable {
  private struct State: Sendable {
    var jobs = Fifo<@Sendable () -> Void>()
    var isBusy = false
    /// How many jobs there have been.
    var jobCount = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
    var whenIdle: (@Sendable () -> Void)?
  }

  private enum Next {
    case job(@Sendable () -> Void)
    case rest([CheckedContinuation<Void, Never>], (@Sendable () -> Void)?)
  }

  private let queue = DispatchQueue(label: "OperationFlowTesting.ManualClock")
  private let state = Locked(State())
  private let mainQueue: DispatchQueue
  /// After how much real time it is said that the main queue is waited for; it decides nothing else.
  private let patience: DispatchTimeInterval
  private let noteBusyMainQueue: @Sendable () -> Void

  init(
    mainQueue: DispatchQueue = .main, patience: DispatchTimeInterval = .seconds(10),
    noteBusyMainQueue: @escaping @Sendable () -> Void = ClockWork.reportBusyMainQueue
  ) {
    self.mainQueue = mainQueue
    self.patience = patience
    self.noteBusyMainQueue = noteBusyMainQueue
  }

  @Sendable static func reportBusyMainQueue() {
    let line = """
      OperationFlowTesting: a ManualClock lets no time pass, because a step waits for something else and the main thread \
      is busy or blocked. Don't block the main thread, or call advance(by:).

      """
    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
  }

  /// Sets what is called each time when all work is done, by the thread that has done it.
  func whenIdle(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenIdle = body } }

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
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.isBusy { state.waiters.append(continuation) }
        return !state.isBusy
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Calls `body` if there is no work until the main queue has done what it was given, and for ten real milliseconds.
  ///
  /// The main queue is waited for as long as it takes: how busy it is doesn't decide when time passes.
  func afterMoment(_ body: @escaping @Sendable () -> Void) {
    let count = state.withLock { $0.jobCount }
    let isServed = Locked(false)
    // What comes back from the main actor has become work before this block is called.
    mainQueue.async {
      isServed.withLock { $0 = true }
      self.queue.asyncAfter(deadline: .now() + .milliseconds(10)) {
        if self.state.withLock({ !$0.isBusy && $0.jobCount == count }) { body() }
      }
    }
    queue.asyncAfter(deadline: .now() + patience) {
      if !isServed.withLock({ $0 }) { self.noteBusyMainQueue() }
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

/// Makes jobs of the parts of tasks.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class WorkExecutor: TaskExecutor {
  private let work: ClockWork

  init(_ work: ClockWork) { self.work = work }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    work.add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
