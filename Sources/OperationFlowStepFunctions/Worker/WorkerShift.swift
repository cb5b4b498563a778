import OperationFlow

/// One call of a worker's `run()`: the work that it waits for, and its grace period.
final class WorkerShift: Sendable {
  private struct State: Sendable {
    var cancellations: [Int: @Sendable () -> Void] = [:]
    var nextID = 0
    var taskCount = 0
    var graceTimer: Task<Void, Never>?
    var hasPolled = false
    var isStopping = false
    var isGraceOver = false
    var hasEnded = false
  }

  private let state = Locked(State())
  private let gracePeriod: Duration
  private let clock: any Clock<Duration>

  init(gracePeriod: Duration, clock: any Clock<Duration>) {
    self.gracePeriod = gracePeriod.clamped()
    self.clock = clock
  }

  /// True if the grace period has ended, and unfinished work has been cancelled.
  var isGraceOver: Bool { state.withLock { $0.isGraceOver } }

  /// True if the service has accepted a poll, and so the worker's credentials.
  var hasPolled: Bool { state.withLock { $0.hasPolled } }

  func pollDidSucceed() { state.withLock { $0.hasPolled = true } }

  /// Returns the number of a new task, counted from 1.
  func nextTaskNumber() -> Int {
    state.withLock { state in
      state.taskCount += 1
      return state.taskCount
    }
  }

  /// Waits for work; if the grace period ends, the work is cancelled.
  func finish<Value: Sendable>(_ work: Task<Value, some Error>) async -> Result<Value, any Error> {
    let (id, isLate) = state.withLock { state in
      state.nextID += 1
      state.cancellations[state.nextID] = { work.cancel() }
      return (state.nextID, state.isGraceOver)
    }
    if isLate { work.cancel() }
    defer { state.withLock { $0.cancellations[id] = nil } }
    do { return .success(try await work.value) } catch { return .failure(error) }
  }

  /// Starts the grace period; calling it again changes nothing.
  func stop() {
    let isFirst = state.withLock { state in
      defer { state.isStopping = true }
      return !state.isStopping
    }
    guard isFirst else { return }
    let timer = Task {
      do { try await clock.sleep(for: gracePeriod) } catch { return }
      let cancellations = state.withLock { state in
        state.isGraceOver = true
        return Array(state.cancellations.values)
      }
      for cancel in cancellations { cancel() }
    }
    let hasEnded = state.withLock { state in
      state.graceTimer = timer
      return state.hasEnded
    }
    if hasEnded { timer.cancel() }
  }

  /// Ends the shift: nothing runs any more, so the grace period is no longer needed.
  func end() {
    let timer = state.withLock { state in
      state.hasEnded = true
      return state.graceTimer
    }
    timer?.cancel()
  }
}
