import Foundation

extension Flow {
  /// Sets a block that is called on the main actor and has returned before the first operation starts.
  ///
  /// Only with it does a flow need the main queue to begin: a command-line program that blocks it waits for ever.
  ///
  /// - Parameter block: The block.
  /// - Returns: The flow.
  @discardableResult
  public func setWillStartBlock(block: @escaping FlowWillStartBlock) -> Flow {
    state.withLock { $0.willStart = block }
    return self
  }

  /// Sets a block that is called on the main actor, once a run, when everything that was started has ended.
  ///
  /// - Parameter block: The block.
  /// - Returns: The flow.
  @discardableResult
  public func setDidFinishBlock(block: @escaping FlowDidFinishBlock) -> Flow {
    state.withLock { $0.didFinish = block }
    return self
  }

  /// Adds a closure that is told of each event of the coming runs, in order, one at a time.
  ///
  /// - Parameter observer: Called in the thread in which the event came up, so it should be short; it may use the flow.
  /// - Returns: The flow.
  @discardableResult
  public func observe(_ observer: @escaping @Sendable (FlowEvent) -> Void) -> Flow {
    state.withLock { $0.observers.append(observer) }
    return self
  }

  /// Starts the flow, and returns at once.
  ///
  /// A flow whose operations were all added as factories can be started again, and several times at once. One that holds
  /// an operation that runs, or has run, fails with ``FlowError/Code/operationUsedTwice``: the handle says so, and the
  /// run before it is untouched.
  ///
  /// - Returns: The handle to the run.
  @discardableResult
  public func start() -> FlowRun {
    let recorder = Recorder(observers: state.withLock { $0.observers })
    let blueprint = state.withLock { $0.builder.blueprint }
    let used = blueprint.reserveInstances()
    let refusal = used.map { FlowError.usedTwice($0.name).located(flow: name, step: $0.name) }
    // A flow that is refused its operations leaves its earlier run as it was; so that run's blocks are not called.
    let isExtra = refusal != nil && self.run != nil
    var didFinish: (@MainActor @Sendable () -> Void)?
    if !isExtra, let block = state.withLock({ $0.didFinish }) { didFinish = { block(self) } }
    let run = FlowRun(
      flowName: name, blueprint: blueprint,
      bucket: DataBucket(initialData.values, sensitiveNames: initialData.sensitiveNames, recorder: recorder),
      recorder: recorder, refusal: refusal, didFinish: didFinish)
    if !isExtra {
      recorder.append(contentsOf: notes.takeEvents())
      state.withLock { $0.run = run }
    }
    let willStart = isExtra ? nil : state.withLock { $0.willStart }
    if let willStart {
      Task { @MainActor in
        willStart(self)
        run.begin()
      }
    } else {
      run.begin()
    }
    return run
  }

  /// Runs the flow and waits for its end, holding no thread.
  ///
  /// Cancelling the awaiting task cancels the run.
  ///
  /// - Returns: How the run ended.
  @discardableResult
  public func run() async -> FlowOutcome {
    let run = start()
    return await withTaskCancellationHandler {
      await run.outcome
    } onCancel: {
      run.cancel()
    }
  }

  /// Cancels the last run that was started: nothing more starts, and it ends once, as cancelled.
  public func cancel() {
    run?.cancel()
  }
}
