extension FlowLimiter {
  // MARK: For runs

  // A run calls these under its own lock, and afterwards, outside of it, `serve(_:)` for the limiters that need it.

  /// Takes a permit, or waits for one: then it returns the place of the waiter.
  func takeOrWait(at time: Duration, _ waiter: any PermitWaiter, precedence: Int) -> Int? {
    state.withLock { $0.queue.acquire(at: time) ? nil : $0.queue.wait(waiter, precedence: precedence) }
  }

  /// The work of a permit begins, at the time that is given or a later one; true if the limiter is to be served.
  func begin(at time: inout Duration) -> Bool {
    guard hasClock else { return false }
    let (counted, isAwaited) = state.withLock { [time] in ($0.queue.begin(at: time), $0.queue.waitingCount > 0) }
    time = counted
    return isAwaited
  }

  /// A beginning at a time was none: it is still to come.
  func takeBackBeginning(at time: Duration) { state.withLock { $0.queue.takeBackBeginning(at: time) } }
  func giveBack(hasBegun: Bool) -> Bool { change { $0.queue.giveBack(hasBegun: hasBegun) } }

  /// Makes a change; true if others wait, so that the limiter is to be served.
  private func change(_ change: (inout State) -> Void) -> Bool {
    state.withLock { state in
      change(&state)
      return state.queue.waitingCount > 0
    }
  }

  func addKeeper(_ keeper: String) { state.withLock { $0.keepers.append(keeper) } }

  /// Abandoned work has ended, and its permit comes back; true if the limiter is to be served.
  func giveBack(from keeper: String, hasBegun: Bool) -> Bool {
    change { state in
      if let index = state.keepers.firstIndex(of: keeper) { state.keepers.remove(at: index) }
      state.queue.giveBack(hasBegun: hasBegun)
    }
  }

  /// Counts starts of an earlier process that happened this long ago.
  package func recordStarts(ago times: [Duration]) {
    let now = time
    state.withLock { $0.queue.recordStarts(times.map { now - $0 }, at: now) }
  }

  /// One who waits no longer does; if it has been given a permit in the meantime, that is taken back.
  func leave(_ place: Int) -> Bool {
    let mustServe = change { if !$0.queue.leave(place) { $0.queue.giveBack(hasBegun: false) } }
    // Served in any case, because a clock that no one needs any more is to be stopped.
    return mustServe || hasClock
  }

  // MARK: By hand

  /// Waits for a permit, runs a closure, and returns the permit.
  ///
  /// It waits without a thread, in one line with the steps that the limiter serves. If the task is cancelled while it
  /// waits, it leaves immediately. Don't call it from work that has a permit of the same limiter.
  ///
  /// - Parameters:
  ///   - isolation: The actor that the closure runs on: the caller's, unless you pass another.
  ///   - work: The work.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, `CancellationError` if the task is cancelled before the closure begins, or a
  ///   ``FlowError`` with ``FlowError/Code/invalidLimit`` if the limiter's numbers make no sense.
  public func withPermit<Result>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
  ) async throws -> Result {
    if let error = errors.first { throw error }
    try await acquire(isolation: isolation)
    defer { if giveBack(hasBegun: true) { Self.serve([self]) } }
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

  /// Separate, because what an asynchronous function holds takes memory for each one who waits.
  private func beginNow() throws {
    let isCancelled = Task.isCancelled
    var now = time
    if isCancelled ? giveBack(hasBegun: false) : begin(at: &now) { Self.serve([self]) }
    if isCancelled { throw CancellationError() }
  }
}

private final class TaskWaiter: PermitWaiter, @unchecked Sendable {
  // Invariant: these are read and written only under the limiter's lock. Who takes the continuation out resumes it, and so
  // once; a checked one would take a third more memory.
  private var waiting: (continuation: UnsafeContinuation<Void, any Error>, place: Int)?
  private var isCancelled = false
  private let limiter: FlowLimiter
  /// The work whose task it is, on a clock that is driven by a program: it waits for that of others.
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
      // Otherwise it has been given a permit, and wakes up with it.
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
