import OperationFlow

extension ManualClock {
  // MARK: Letting time pass

  /// Lets time pass, and returns when everything that became due meanwhile is done.
  ///
  /// Work that was under way before is waited for first. Anything that waits for a moment within the time is woken at
  /// that moment, in order, and may wait again. Work that waits for something outside of the clock's runs isn't waited
  /// for.
  ///
  /// - Parameter duration: The time that passes; none if it is negative.
  public func advance(by duration: Duration) async {
    await work.untilIdle()
    await advance(to: now.advanced(by: duration))
  }

  /// Lets time pass up to a moment, as ``advance(by:)`` does.
  ///
  /// - Parameter moment: The moment; nothing happens if it has passed.
  public func advance(to moment: Instant) async {
    await work.untilIdle()
    while true {
      // The last look and the move are one change. Otherwise a wait that begins in between would be passed over.
      let next = state.withLock { state in
        let next = state.schedule.takeNext(notAfter: moment)
        if next == nil { state.schedule.move(to: moment) }
        return next
      }
      guard wake(next) else { return }
      await work.untilIdle()
    }
  }

  /// Lets time pass up to the next moment that something waits for, and returns when the work of that moment is done.
  ///
  /// If nothing waits yet, the call waits until something does.
  ///
  /// - Returns: The time that has passed.
  @discardableResult
  public func advanceToNextTimer() async -> Duration {
    let before = now
    await work.untilIdle()
    while !moveToNext(notAfter: nil) { await untilSleeping() }
    await work.untilIdle()
    while moveToNext(notAfter: now) { await work.untilIdle() }
    return before.duration(to: now)
  }

  /// Waits until a sleep, or a delay or a time limit of a run, waits for its time.
  ///
  /// - Parameter count: The least number of sleeps, delays and time limits that must be waiting.
  public func untilSleeping(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.schedule.count < count { state.watchers.append((count, continuation)) }
        return state.schedule.count >= count
      }
      if isThere { continuation.resume() }
    }
  }

  /// Waits until the runs on the clock have done everything that they can do without time, or without others.
  public func untilIdle() async { await work.untilIdle() }

  /// Lets time pass by itself during some work: whenever nothing else can run, the clock moves to the next moment.
  ///
  /// ```swift
  /// let links = try await clock.lettingTimePass { try await uploader.upload(photos) }
  /// ```
  /// If a step of the clock's runs waits for something else, such as a server or the main actor, time stands still
  /// until that has arrived, after any amount of real time. If that may never arrive, put the waiting in
  /// ``withoutHoldingTime(isolation:_:)``.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which `body` runs, which is the caller's.
  ///   - body: The work.
  /// - Returns: The result of the work.
  /// - Throws: The error of the work.
  public func lettingTimePass<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let number = beginPassing { false }
    defer { endPassing(number) }
    return try await body()
  }

  /// Stops time during work that the clock can't see, such as a request to a real server.
  ///
  /// ```swift
  /// let page = try await clock.holdingTime { try await download(url) }
  /// ```
  /// The work may need any amount of real time. A step that does nothing else at the same time stops time anyway.
  /// ``advance(by:)`` lets time pass all the same.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which `body` runs, which is the caller's.
  ///   - body: The work.
  /// - Returns: The result of the work.
  /// - Throws: The error of the work.
  public func holdingTime<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    hold(true)
    defer { hold(false) }
    return try await body()
  }

  /// Lets time pass by itself during work of a step that may not end otherwise, such as a request that is never
  /// answered.
  ///
  /// ```swift
  /// let page = try await clock.withoutHoldingTime { try await download(url) }
  /// ```
  /// The step's time limit may end such work. The work itself may end at any moment of the clock's time, so two runs
  /// may differ. Outside the steps of the clock's runs, it changes nothing.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which `body` runs, which is the caller's.
  ///   - body: The work.
  /// - Returns: The result of the work.
  /// - Throws: The error of the work.
  public func withoutHoldingTime<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let work = DrivenWork.current
    work?.setWaiting(true)
    defer { work?.setWaiting(false) }
    return try await body()
  }
}

extension ManualClock: DrivenClock {
  package var elapsed: Duration { now.offset }

  package func perform(_ work: @escaping @Sendable () -> Void) { self.work.add(work) }

  package func startTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    self.work.startTask(work)
  }

  /// Calls `body` as soon as some time has passed, and returns a number that identifies the call.
  func call(after time: Duration, _ body: @escaping @Sendable () -> Void) -> Int {
    let (number, watchers, isDue) = state.withLock { state in
      let number = state.makeNumber()
      let deadline = state.schedule.now.advanced(by: time)
      state.schedule.add(number, at: deadline, .call(body))
      return (number, state.takeWatchers(), deadline <= state.schedule.now)
    }
    handleNewWait(watchers, isDue: isDue)
    return number
  }

  /// Cancels a call that has not been made.
  func cancelCall(_ number: Int) { _ = state.withLock { $0.schedule.remove(number) } }

  package func join(
    _ run: DrivenRun, _ openWork: @escaping @Sendable (_ isWaiting: (DrivenWork) -> Bool) -> OpenWork?
  ) {
    state.withLock { $0.runs.append(JoinedRun(run: run, openWork: openWork)) }
  }

  package func setWaiting(of work: DrivenWork, _ isWaiting: Bool) {
    state.withLock { $0.schedule.waits.countWait(of: work, begins: isWaiting) }
    if isWaiting { self.work.add {} }
  }

  package func hold(_ isHeld: Bool) {
    state.withLock { state in
      state.holdCount += isHeld ? 1 : -1
      state.schedule.waits.changeCount += 1
    }
    if !isHeld { work.add {} }
  }
}
