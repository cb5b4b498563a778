extension FlowLimiter {
  // MARK: For runs

  // A run calls these under its own lock. It calls `serve(_:)` afterwards, outside of that lock, if they return true.

  /// Acquires a permit and returns `nil`, or adds the waiter and returns its place in the queue.
  func acquireOrWait(at time: Duration, _ waiter: any PermitWaiter, precedence: Int) -> Int? {
    state.withLock { $0.queue.acquire(at: time) ? nil : $0.queue.wait(waiter, precedence: precedence) }
  }

  /// Counts the start of a permit's work, at this time or a later one.
  ///
  /// Returns true if the limiter has to be served. Sets `time` to the time that was counted.
  func begin(at time: inout Duration) -> Bool {
    guard hasClock else { return false }
    let (counted, isAwaited) = state.withLock { [time] in ($0.queue.begin(at: time), $0.queue.waitingCount > 0) }
    time = counted
    return isAwaited
  }

  /// Removes a start that was counted for this time, because the work hasn't begun after all.
  func removeStart(at time: Duration) { state.withLock { $0.queue.removeStart(at: time) } }
  func release(hasBegun: Bool) -> Bool { change { $0.queue.release(hasBegun: hasBegun) } }

  /// Makes a change; returns true if others wait, so that the limiter has to be served.
  private func change(_ change: (inout State) -> Void) -> Bool {
    state.withLock { state in
      change(&state)
      return state.queue.waitingCount > 0
    }
  }

  func addKeeper(_ keeper: String) { state.withLock { $0.keepers.append(keeper) } }

  /// Releases the permit of abandoned work that has ended; returns true if the limiter has to be served.
  func release(from keeper: String, hasBegun: Bool) -> Bool {
    change { state in
      if let index = state.keepers.firstIndex(of: keeper) { state.keepers.remove(at: index) }
      state.queue.release(hasBegun: hasBegun)
    }
  }

  /// Counts starts of an earlier process, each of which happened this long ago.
  package func recordStarts(ago times: [Duration]) {
    let now = time
    state.withLock { $0.queue.recordStarts(times.map { now - $0 }, at: now) }
  }

  /// Removes a waiter, or releases its permit if it was granted one meanwhile; true if the limiter has to be served.
  func leave(_ place: Int) -> Bool {
    let mustServe = change { if !$0.queue.leave(place) { $0.queue.release(hasBegun: false) } }
    // Serves a limiter with a clock in any case, because an alarm without waiters has to be stopped.
    return mustServe || hasClock
  }

  // MARK: By hand

  /// Waits for a permit, runs a closure, and returns the permit.
  ///
  /// The task waits without a thread, in one queue with the steps that the limiter serves. If the task is cancelled
  /// while it waits, it leaves the queue immediately. Don't call it from work that has a permit of the same limiter.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the closure runs: the caller's, unless you pass another.
  ///   - work: The work that needs the permit.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error, `CancellationError` if the task is cancelled before the closure begins, or a
  ///   ``FlowError`` with ``FlowError/Code/invalidLimit`` if the limiter's numbers make no sense.
  public func withPermit<Result>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
  ) async throws -> Result {
    if let error = errors.first { throw error }
    try await acquire(isolation: isolation)
    defer { if release(hasBegun: true) { Self.serve([self]) } }
    return try await work()
  }

  private func acquire(isolation: isolated (any Actor)?) async throws {
    let waiter = TaskWaiter(limiter: self)
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { waiter.wait($0) }
    } onCancel: {
      waiter.cancel()
    }
    try beginNow()
  }

  /// Counts the start, or releases the permit of a task that was cancelled.
  ///
  /// A separate function, because the variables of an asynchronous function need memory in each waiting task.
  private func beginNow() throws {
    let isCancelled = Task.isCancelled
    var now = time
    if isCancelled ? release(hasBegun: false) : begin(at: &now) { Self.serve([self]) }
    if isCancelled { throw CancellationError() }
  }
}

private final class TaskWaiter: PermitWaiter, @unchecked Sendable {
  // Invariant: these are read and written only under the limiter's lock. Only the code that removes the continuation
  // resumes it, so it is resumed once; a checked continuation would need a third more memory.
  private var waiting: (continuation: UnsafeContinuation<Void, any Error>, place: Int)?
  private var isCancelled = false
  private let limiter: FlowLimiter
  /// The work that this task belongs to, on a clock that a program drives; it is marked as waiting for other work.
  private let work = DrivenWork.current

  init(limiter: FlowLimiter) { self.limiter = limiter }

  func wait(_ continuation: UnsafeContinuation<Void, any Error>) {
    let now = limiter.time
    let (isCancelled, hasPermit) = limiter.state.withLock { state in
      let hasPermit = !self.isCancelled && state.queue.acquire(at: now)
      if !self.isCancelled, !hasPermit { waiting = (continuation, state.queue.wait(self)) }
      return (self.isCancelled, hasPermit)
    }
    if isCancelled { return continuation.resume(throwing: CancellationError()) }
    if hasPermit { return continuation.resume() }
    work?.setWaiting(true)
    if limiter.hasClock { FlowLimiter.serve([limiter]) }
  }

  func cancel() {
    let continuation = limiter.state.withLock { state -> UnsafeContinuation<Void, any Error>? in
      isCancelled = true
      // A waiter that has left the queue was granted a permit, and resumes with it.
      guard let waiting, state.queue.leave(waiting.place) else { return nil }
      return self.waiting.take()?.continuation
    }
    guard let continuation else { return }
    work?.setWaiting(false)
    continuation.resume(throwing: CancellationError())
    if limiter.hasClock { FlowLimiter.serve([limiter]) }
  }

  func permitArrived() -> [FlowLimiter] {
    let continuation = limiter.state.withLock { _ in waiting.take()?.continuation }
    if let continuation {
      work?.setWaiting(false)
      continuation.resume()
    }
    return []
  }
}
