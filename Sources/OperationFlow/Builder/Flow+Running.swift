import Foundation

extension Flow {
  /// Sets a block that is called on the main actor and has returned before the first operation starts.
  ///
  /// Only with it does a flow need the main queue to begin: a command-line program that blocks it waits for ever.
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

  /// Sets how much the records of the coming runs keep; ``FlowRecording/standard`` where nothing is said.
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
    let launch = Launch(self)
    let values = initialData.values.merging(data) { $1 }
    let invalid = launch.error(of: self, data: values)
    let sensitiveNames = initialData.sensitiveNames.union(launch.sensitiveNames)
    let bucket = DataBucket(values, sensitiveNames: sensitiveNames, recorder: launch.recorder)
    // The run that this one takes the place of is handed out, to be freed outside the lock.
    let (run, willStart, _) = state.withLock { state in
      let refusal = invalid ?? launch.reserveOperations(of: self)
      let isExtra = refusal.map { state.mustKeepRun($0) } ?? false
      let run = FlowRun(
        flowName: name, blueprint: launch.blueprint,
        bucket: bucket, recorder: launch.recorder, refusal: refusal, didFinish: isExtra ? nil : didFinish(state))
      let earlier = state.run
      guard !isExtra else { return (run, FlowWillStartBlock?.none, earlier) }
      launch.recorder.append(contentsOf: notes.takeEvents().map { $0.redacting(sensitiveNames) })
      state.run = run
      return (run, state.willStart, earlier)
    }
    begin(run, after: willStart)
    return run
  }

  private func didFinish(_ state: State) -> (@MainActor @Sendable () -> Void)? {
    guard let block = state.didFinish else { return nil }
    return { block(self) }
  }

  private func begin(_ run: FlowRun, after willStart: FlowWillStartBlock?) {
    guard let willStart else { return run.begin() }
    Task { @MainActor in
      willStart(self)
      run.begin()
    }
  }

  /// Runs the flow and waits for its end, holding no thread.
  ///
  /// Cancelling the awaiting task cancels the run. What it refuses to run is what ``start(with:)`` refuses.
  ///
  /// - Parameter data: What the run's bucket holds at first, over what the flow was set to begin with.
  /// - Returns: How the run ended.
  @discardableResult
  public func run(with data: [String: any Sendable] = [:]) async -> FlowOutcome {
    let run = start(with: data)
    return await withTaskCancellationHandler {
      await run.outcome
    } onCancel: {
      run.cancel()
    }
  }

  /// Cancels the last run that was started: nothing more starts, and it ends once, as cancelled.
  ///
  /// Nothing happens before the first start, and after a run's end.
  public func cancel() {
    run?.cancel()
  }
}

extension Flow.State {
  /// Whether a start that is refused leaves the earlier run as it was, so that no block is called a second time for it:
  /// while that run is under way, or where it has used up the operations.
  fileprivate func mustKeepRun(_ refusal: FlowError) -> Bool {
    guard let run else { return false }
    return run.currentOutcome == nil || refusal.code == .operationUsedTwice
  }
}

/// What a run is started from: the flow as it was in one moment.
private struct Launch {
  let blueprint: Blueprint
  let recorder: Recorder
  /// A block that runs before the first step may set data that nobody else knows of.
  private let mayHoldMore: Bool

  private let facts: BlueprintFacts

  init(_ flow: Flow) {
    let state = flow.state.withLock { $0 }
    blueprint = state.builder.blueprint
    recorder = Recorder(observers: state.observers, recording: state.recording)
    mayHoldMore = state.willStart != nil
    facts = flow.facts(of: blueprint)
  }

  var sensitiveNames: Set<String> { facts.sensitiveNames }

  /// What is wrong with the flow; warnings stop nothing.
  func error(of flow: Flow, data: [String: any Sendable]) -> FlowError? {
    let errors =
      facts.errors
      ?? Validation(blueprint, ports: facts.ports, data: data, mayHoldMore: mayHoldMore, errorsOnly: true).problems
    return errors.isEmpty ? nil : FlowError(errors).located(flow: flow.name, step: nil)
  }

  /// Keeps the operations that were made beforehand; the error says which is not free.
  func reserveOperations(of flow: Flow) -> FlowError? {
    blueprint.reserveInstances().map { FlowError.usedTwice($0.name).located(flow: flow.name, step: $0.name) }
  }
}
