import Foundation

extension Flow {
  /// Sets a block that is called on the main actor and has returned before the first operation starts.
  ///
  /// Only with it does a flow need the main queue to begin: a command-line program that blocks it waits for ever. A run
  /// that is cancelled before its block was called ends without it, and the block is not called any more.
  ///
  /// - Parameter block: The block.
  /// - Returns: The flow.
  @preconcurrency @discardableResult
  public func setWillStartBlock(block: @escaping FlowWillStartBlock) -> Flow {
    _ = state.withLock { state in
      defer { state.willStart = block }
      return state.willStart
    }
    return self
  }

  /// Sets a block that is called on the main actor, once a run, when everything that was started has ended.
  ///
  /// - Parameter block: The block.
  /// - Returns: The flow.
  @preconcurrency @discardableResult
  public func setDidFinishBlock(block: @escaping FlowDidFinishBlock) -> Flow {
    _ = state.withLock { state in
      defer { state.didFinish = block }
      return state.didFinish
    }
    return self
  }

  /// Adds a closure that is told of each event of the coming runs, of one run in order and one at a time.
  ///
  /// - Parameter observer: Called where events come up, mostly in the run's threads, so it should be short; it may use
  ///   the flow.
  /// - Returns: The flow.
  @discardableResult
  public func observe(_ observer: @escaping @Sendable (FlowEvent) -> Void) -> Flow {
    state.withLock { $0.observers.append(observer) }
    return self
  }

  /// Sets how much the records of the coming runs keep; ``FlowRecording/standard`` unless said otherwise.
  ///
  /// - Parameter recording: How much.
  /// - Returns: The flow.
  @discardableResult
  public func recording(_ recording: FlowRecording) -> Flow {
    state.withLock { $0.recording = recording }
    return self
  }

  /// Starts the flow, and returns at once.
  ///
  /// A flow whose operations were all added as factories can be started again, and several times at once. One that
  /// holds an operation that runs, or has run, fails with ``FlowError/Code/operationUsedTwice``: the handle says so,
  /// and the run before it is untouched. A flow in which ``validate(with:)`` finds errors fails with all of them, and runs
  /// nothing.
  ///
  /// - Parameter data: What the run's bucket holds at first, over what the flow was set to begin with.
  /// - Returns: The handle to the run.
  @discardableResult
  public func start(with data: [String: any Sendable] = [:]) -> FlowRun {
    start(with: startingData.merging(data))
  }

  /// Starts the flow with typed data, and returns at once.
  ///
  /// It does what ``start(with:)`` does. A sensitive key's value is shown as `<redacted>` in this run.
  ///
  /// ```swift
  /// let run = flow.start { $0[.user] = "ann" }
  /// ```
  /// - Parameter change: Changes what the run's bucket holds at first; it begins with what the flow was set to begin with.
  /// - Returns: The handle to the run.
  /// - Throws: What `change` throws; then nothing is started.
  @discardableResult
  public func start(_ change: (inout FlowData) throws -> Void) rethrows -> FlowRun {
    start(with: try startingData.changed(by: change))
  }

  private func start(with data: FlowData) -> FlowRun {
    let launch = makeLaunch()
    let invalid = launch.error(data: data.values)
    let sensitiveNames = data.sensitiveNames.union(launch.sensitiveNames)
    let bucket = DataBucket(data.values, sensitiveNames: sensitiveNames, recorder: launch.recorder)
    // The run that this one takes the place of is handed out, to be freed outside the lock.
    let (run, willStart, _) = state.withLock { state in
      let refusal = invalid ?? launch.reserveOperations()
      let isExtra = refusal.map { state.mustKeepRun($0) } ?? false
      let run = FlowRun(launch.engine(bucket, refusal, didFinish: isExtra ? nil : didFinish(state)))
      let earlier = state.run
      guard !isExtra else { return (run, FlowWillStartBlock?.none, earlier) }
      launch.recorder.append(contentsOf: notes.takeEvents())
      state.run = run
      return (run, state.willStart, earlier)
    }
    // A name that was marked since the data was looked at is sensitive for this run as well: whoever marks one from here
    // on finds the run.
    run.bucket.markSensitive(initialData.sensitiveNames)
    begin(run, after: willStart)
    return run
  }

  /// The flow as it is now.
  private func makeLaunch() -> Launch {
    let (state, blueprint) = self.state.withLock { state in
      let blueprint = state.finishedBlueprint()
      return (state, blueprint)
    }
    return Launch(
      flowName: name, blueprint: blueprint, facts: facts(of: blueprint), observers: state.observers,
      recording: state.recording, clock: state.clock, mayHoldMore: state.willStart != nil)
  }

  private func didFinish(_ state: State) -> (@MainActor @Sendable () -> Void)? {
    guard let block = state.didFinish else { return nil }
    return { block(self) }
  }

  private func begin(_ run: FlowRun, after willStart: FlowWillStartBlock?) {
    guard let willStart else { return run.begin() }
    Task { @MainActor in
      // Cancelled before, it has begun without the block, and has ended.
      if !run.hasBegun { willStart(self) }
      run.begin()
    }
  }

  /// Runs the flow and waits for its end, holding no thread.
  ///
  /// Cancelling the awaiting task cancels the run. What it refuses to run is what ``start(with:)`` refuses.
  /// The outcome is the only sign of a failure, so the compiler warns if you don't use it.
  ///
  /// - Parameter data: What the run's bucket holds at first, over what the flow was set to begin with.
  /// - Returns: How the run ended.
  public func run(with data: [String: any Sendable] = [:]) async -> FlowOutcome {
    await start(with: data).outcomeOrCancel
  }

  /// Runs the flow with typed data and waits for its end, holding no thread.
  ///
  /// It does what ``run(with:)`` does. A sensitive key's value is shown as `<redacted>` in this run.
  ///
  /// ```swift
  /// let outcome = await flow.run { $0[.user] = "ann" }
  /// ```
  /// - Parameter change: Changes what the run's bucket holds at first; it begins with what the flow was set to begin with.
  /// - Returns: How the run ended.
  /// - Throws: What `change` throws; then nothing is started.
  public func run(_ change: (inout FlowData) throws -> Void) async rethrows -> FlowOutcome {
    await start(with: try startingData.changed(by: change)).outcomeOrCancel
  }

  /// Cancels the last run that was started: nothing more starts, and it ends once, as cancelled.
  ///
  /// Nothing happens before the first start, and after a run's end.
  public func cancel() {
    run?.cancel()
  }
}

extension FlowRun {
  /// How the run ended; cancelling the task that waits for it cancels the run.
  fileprivate var outcomeOrCancel: FlowOutcome {
    get async {
      await withTaskCancellationHandler {
        await outcome
      } onCancel: {
        cancel(by: .task)
      }
    }
  }
}

extension Flow.State {
  /// Whether a start that is refused leaves the earlier run as it was, so that no block is called a second time for it:
  /// while that run is under way, or if it has used up the operations.
  fileprivate func mustKeepRun(_ refusal: FlowError) -> Bool {
    guard let run else { return false }
    return run.currentOutcome == nil || refusal.code == .operationUsedTwice
  }
}
