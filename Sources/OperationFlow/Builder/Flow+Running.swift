extension Flow {
  /// Sets a block that is called on the main actor and returns before the first operation starts.
  ///
  /// A flow needs the main queue to begin only if it has this block: a command-line program that blocks the main queue
  /// then waits forever. A run that is cancelled before its block is called ends without calling it.
  ///
  /// - Parameter block: The block.
  /// - Returns: The flow.
  @preconcurrency @discardableResult
  public func setWillStartBlock(block: @escaping FlowWillStartBlock) -> Flow {
    _ = state.withLock { exchange(&$0.willStart, with: block) }
    return self
  }

  /// Sets a block that is called on the main actor once per run, when everything that was started has ended.
  ///
  /// - Parameter block: The block.
  /// - Returns: The flow.
  @preconcurrency @discardableResult
  public func setDidFinishBlock(block: @escaping FlowDidFinishBlock) -> Flow {
    _ = state.withLock { exchange(&$0.didFinish, with: block) }
    return self
  }

  /// Adds a closure that is called for each event of later runs, in order and one at a time within a run.
  ///
  /// - Parameter observer: A closure that is called where events occur, mostly on the run's threads. It should be
  ///   short, and may use the flow.
  /// - Returns: The flow.
  @discardableResult
  public func observe(_ observer: @escaping @Sendable (FlowEvent) -> Void) -> Flow {
    changing { $0.observers.append(observer) }
  }

  /// Sets which events the records of later runs contain; the default is ``FlowRecording/standard``.
  ///
  /// - Parameter recording: The events to record.
  /// - Returns: The flow.
  @discardableResult
  public func recording(_ recording: FlowRecording) -> Flow {
    changing { $0.recording = recording }
  }

  /// Sets the names whose values later runs show as `<redacted>`; the default is ``FlowRedaction/standard``.
  ///
  /// - Parameter redaction: The rule, such as `.standard.adding("iban").excluding("pin")`, or ``FlowRedaction/none``.
  /// - Returns: The flow.
  @discardableResult
  public func redaction(_ redaction: FlowRedaction) -> Flow {
    changing { $0.redaction = redaction }
  }

  /// Sets the clock of later runs: for delays, time limits, rates and deadlines, and for the dates in their records.
  ///
  /// The standard clock is a `ContinuousClock`, with the system's dates. With any other clock, the dates are those at
  /// the start of the run, plus the time that has passed on the clock since then.
  ///
  /// - Parameter clock: The clock, such as the `ManualClock` of `OperationFlowTesting`.
  /// - Returns: The flow.
  @discardableResult
  public func clock(_ clock: any Clock<Duration>) -> Flow {
    changing { $0.clock = clock }
  }

  func changing(_ change: (inout RunSettings) -> Void) -> Flow {
    state.withLock { change(&$0.settings) }
    return self
  }

  /// Starts the flow and returns immediately.
  ///
  /// You can start a flow again, even several times at once, if all of its operations were added as factories. A flow
  /// with an operation that is running, or has run, fails with ``FlowError/Code/operationUsedTwice``, and its earlier
  /// run is unaffected. A flow in which ``validate(with:)`` finds errors fails with all of them, and runs nothing.
  ///
  /// - Parameter data: Values that the run's bucket starts with; they override those that the flow was given.
  /// - Returns: The handle to the run.
  @discardableResult
  public func start(with data: [String: any Sendable] = [:]) -> FlowRun {
    startRun(with: startingData.merging(data))
  }

  /// Starts the flow with typed data and returns immediately.
  ///
  /// It does what ``start(with:)`` does. A sensitive key's value is shown as `<redacted>` in this run.
  ///
  /// ```swift
  /// let run = flow.start { $0[.user] = "ann" }
  /// ```
  /// - Parameter change: A closure that changes the initial values of the run's bucket. It receives those of the flow.
  /// - Returns: The handle to the run.
  /// - Throws: The error that `change` throws; nothing is started then.
  @discardableResult
  public func start(_ change: (inout FlowData) throws -> Void) rethrows -> FlowRun {
    startRun(with: try startingData.changed(by: change))
  }

  /// Starts a run with all of its data, on another clock than the flow's if one is given.
  ///
  /// If `isAwaited` is true, the calling task has to await `outcomeForCaller`.
  package func startRun(
    with data: FlowData, on clock: (any Clock<Duration>)? = nil, isAwaited: Bool = false
  ) -> FlowRun {
    launchRun(with: data, on: clock, isAwaited: isAwaited).run
  }

  private func launchRun(
    with data: FlowData, on clock: (any Clock<Duration>)? = nil, isAwaited: Bool = false
  ) -> (run: FlowRun, engine: RunEngine) {
    let launch = makeLaunch(on: clock)
    let invalid = launch.error(data: data)
    let sensitiveNames =
      launch.sensitiveNames.isEmpty ? data.sensitiveNames : data.sensitiveNames.union(launch.sensitiveNames)
    let bucket = DataBucket(data, sensitiveNames: sensitiveNames, recorder: launch.recorder)
    // The run that this one replaces is returned, so that it is freed outside the lock.
    let (run, engine, willStart, initialData, _) = state.withLock { state in
      let earlier = state.run
      let refusal = invalid ?? launch.reserveOperations()
      // A refused start doesn't replace an earlier run that is under way, or that has used up the operations.
      let isExtra =
        refusal != nil && (earlier.map { $0.currentOutcome == nil || refusal?.code == .operationUsedTwice } ?? false)
      let engine = RunEngine(
        launch, bucket, refusal.map { .failed($0) }, didFinish: isExtra ? nil : didFinish(state))
      let run = FlowRun(engine)
      if !isExtra {
        if let log = state.initialData?.recorder?.takeLog() { launch.recorder.appendEvents(of: log) }
        state.run = run
      }
      return (run, engine, isExtra ? nil : state.willStart, state.initialData, earlier)
    }
    // These names were marked after the data was read. From here on, names are marked in the run itself.
    if let markedNames = initialData?.sensitiveNames, !markedNames.isEmpty { run.bucket.markSensitive(markedNames) }
    guard let willStart, !(isAwaited && Task.isCancelled) else {
      if isAwaited { engine.beginForCaller() } else { engine.begin() }
      return (run, engine)
    }
    Task { @MainActor in
      // If the run was cancelled first, it began without the block, and has ended.
      if !run.hasBegun { willStart(self) }
      run.begin()
    }
    return (run, engine)
  }

  package func didFinish(_ state: State) -> (@MainActor @Sendable () -> Void)? {
    guard let block = state.didFinish else { return nil }
    return { block(self) }
  }

  /// Runs the flow and waits for its end without blocking a thread.
  ///
  /// Cancelling the awaiting task cancels the run. In a task that is cancelled already, nothing starts. The same flows
  /// are refused as by ``start(with:)``. The outcome is the only sign of a failure, so the compiler warns if you don't
  /// use it.
  ///
  /// - Parameter data: Values that the run's bucket starts with; they override those that the flow was given.
  /// - Returns: The outcome of the run.
  public func run(with data: [String: any Sendable] = [:]) async -> FlowOutcome {
    await launchRun(with: startingData.merging(data), isAwaited: true).engine.outcomeForCaller
  }

  /// Runs the flow with typed data and waits for its end without blocking a thread.
  ///
  /// It does what ``run(with:)`` does. A sensitive key's value is shown as `<redacted>` in this run.
  ///
  /// ```swift
  /// let outcome = await flow.run { $0[.user] = "ann" }
  /// ```
  /// - Parameter change: A closure that changes the initial values of the run's bucket. It receives those of the flow.
  /// - Returns: The outcome of the run.
  /// - Throws: The error that `change` throws; nothing is started then.
  public nonisolated(nonsending) func run(_ change: (inout FlowData) throws -> Void) async rethrows -> FlowOutcome {
    await launchRun(with: try startingData.changed(by: change), isAwaited: true).engine.outcomeForCaller
  }

  /// Cancels the last run that was started: no further step starts, and the run ends once, as cancelled.
  ///
  /// The run's undos and `always` steps run before its end. Before the first start, and after a run's end, this does
  /// nothing.
  public func cancel() {
    run?.cancel()
  }

  /// Limits the time of a whole run.
  ///
  /// When the time is over, everything that runs is cancelled, and the run fails with the code `deadlineExceeded`. The
  /// time starts with the first step, and continues while the run is paused.
  ///
  /// - Parameter time: The time on the run's clock; the flow is refused if it isn't longer than zero.
  /// - Returns: The flow.
  @discardableResult
  public func deadline(_ time: Duration) -> Flow {
    changing { $0.limits.deadline = time }
  }

  /// Records a warning with the work that a run waits for, if nothing happens in the run for a time.
  ///
  /// The warning is recorded once, and again only after something else has happened.
  ///
  /// - Parameter time: The time on the run's clock; the flow is refused if it isn't longer than zero.
  /// - Returns: The flow.
  @discardableResult
  public func quietWarning(after time: Duration) -> Flow {
    changing { $0.limits.quietTime = time }
  }

  /// Limits the number of attempts in a run that may follow failures, so that a server that is down isn't flooded.
  ///
  /// A step or an item that fails when the budget is used up isn't tried again, and the record has a warning.
  ///
  /// - Parameter budget: The number of attempts that may follow failures, or their share of all attempts.
  /// - Returns: The flow.
  @discardableResult
  public func retryBudget(_ budget: FlowRetryBudget) -> Flow {
    changing { $0.limits.retryBudget = budget }
  }

  /// Makes the random part of delays the same in all later runs.
  ///
  /// - Parameter seed: Any number; each step, item and attempt has its own random number, which depends on the seed.
  /// - Returns: The flow.
  @discardableResult
  public func randomSeed(_ seed: UInt64) -> Flow {
    changing { $0.limits.seed = seed }
  }

  /// Finds the problems on every path of the flow before it runs, each with its place and how to fix it.
  ///
  /// Validation relies on what steps declare. A step without declared outputs may write anything, so after it, missing
  /// or mistyped data isn't reported. A step with declared outputs should declare everything that it writes. A problem
  /// with a value that is right on some path is at most a warning. Each factory is called once, and the operation is
  /// discarded. ``start(with:)`` and ``run(with:)`` refuse a flow with errors; warnings stop nothing.
  ///
  /// - Parameter data: Values that the run's bucket starts with; they override those that the flow was given.
  /// - Returns: The problems, those of the flow as a whole first, then in the order of the steps.
  public func validate(with data: [String: any Sendable] = [:]) -> [FlowProblem] {
    validate(with: startingData.merging(data))
  }

  /// Finds the problems of the flow before it runs with typed data, as ``validate(with:)`` does.
  ///
  /// - Parameter change: A closure that changes the initial values of the run's bucket. It receives those of the flow.
  /// - Returns: The problems, those of the flow as a whole first, then in the order of the steps.
  /// - Throws: The error that `change` throws.
  public func validate(_ change: (inout FlowData) throws -> Void) rethrows -> [FlowProblem] {
    validate(with: try startingData.changed(by: change))
  }

  private func validate(with data: FlowData) -> [FlowProblem] {
    let launch = makeLaunch(makesAll: true)
    let secrets = data.secrets(launch.settings.redaction, also: launch.facts.sensitiveNames)
    return (launch.settings.limits.problems + launch.problems(by: launch.facts, data, errorsOnly: false))
      .map { $0.scrubbing(secrets) }
  }
}
