/// A run from its start until it gets its engine, because it may have to be restored first.
package struct RunOpening: Sendable {
  let flowName: String
  let facts: RunFacts
  let began: RunMoment
  /// The task that prepares the engine; set before anyone can use the run.
  var task: Task<Void, Never>?
  /// True if the run has to be paused once it has an engine.
  var isPaused = false
  /// The cause of a cancellation that was requested.
  private(set) var cancellation: FlowReport.Cancellation?
  private var waiters: [UnsafeContinuation<Void, Never>] = []

  package init(_ launch: Launch) {
    flowName = launch.flowName
    facts = RunFacts(launch.facts)
    began = launch.recorder.now
  }

  mutating func cancel(_ cause: FlowReport.Cancellation) { cancellation = cancellation ?? cause }

  mutating func add(_ waiter: UnsafeContinuation<Void, Never>) { waiters.append(waiter) }

  func resumeWaiters() { for waiter in waiters { waiter.resume() } }
}

extension FlowRun {
  /// Sets the task that prepares the engine, before anyone else can use the run.
  package func open(in task: Task<Void, Never>) {
    state.withLock { state in
      guard case .opening(var opening) = state.stage else { return }
      opening.task = task
      state.stage = .opening(opening)
    }
  }

  /// Sets the run's engine, which carries out what was requested meanwhile.
  package func attach(_ engine: RunEngine) {
    guard let opening = connect(engine) else { return }
    if let cause = opening.cancellation { engine.cancel(by: cause) }
    opening.resumeWaiters()
  }

  /// Sets the engine; `nil` if the run has one, or has ended.
  ///
  /// The engine is paused before anyone can reach it, so that a later `resume()` is not undone.
  private func connect(_ engine: RunEngine) -> RunOpening? {
    engine.state.withLock { $0.handle = self }
    while case .opening(let seen) = stage {
      engine.isPaused = seen.isPaused
      let connected = state.withLock { state -> (opening: RunOpening, progress: RunProgress?)? in
        guard case .opening(let opening) = state.stage, opening.isPaused == seen.isPaused else { return nil }
        state.stage = .underWay(engine)
        return (opening, state.knownProgress)
      }
      guard let connected else { continue }
      if let progress = connected.progress {
        engine.state.withLock { state in
          _ = progress.moved(state.machine)
          state.progress = progress
        }
      }
      return connected.opening
    }
    return nil
  }

  /// Ends a run that had ended before it was opened.
  package func endUnopened(_ outcome: FlowOutcome) {
    recorder.seal()
    end(outcome)
  }

  /// Passes a request to the engine, or to the opening until the run has an engine.
  func request(_ ofOpening: (inout RunOpening) -> Void, _ ofEngine: (RunEngine) -> Void) {
    let engine = state.withLock { state -> RunEngine? in
      switch state.stage {
      case .underWay(let engine): return engine
      case .over: return nil
      case .opening(var opening):
        ofOpening(&opening)
        state.stage = .opening(opening)
        return nil
      }
    }
    if let engine { ofEngine(engine) }
  }

  /// Waits until the run has an engine, or has ended.
  nonisolated(nonsending) func opened() async {
    await withUnsafeContinuation { continuation in
      let isOpening = state.withLock { state -> Bool in
        guard case .opening(var opening) = state.stage else { return false }
        opening.add(continuation)
        state.stage = .opening(opening)
        return true
      }
      if !isOpening { continuation.resume() }
    }
  }

  /// Waits as `opened()` does; cancelling the calling task cancels the opening, and the stored run remains as it is.
  nonisolated(nonsending) func openedForCaller() async {
    let task = state.withLock { state -> Task<Void, Never>? in
      if case .opening(let opening) = state.stage { opening.task } else { nil }
    }
    // Awaiting the task raises its priority to the caller's.
    if let task {
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
    await opened()
  }
}
