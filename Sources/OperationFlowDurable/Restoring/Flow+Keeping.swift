import OperationFlow

// The parts of a flow that a run with a keeper needs.
extension Flow {
  /// Creates the engine of a run whose results a keeper stores, and begins or continues the run.
  ///
  /// The closure restores the run, and returns the closure that begins it; it may throw to refuse the run.
  func engage(
    _ run: FlowRun, _ launch: Launch, _ keeper: any RunKeeper,
    _ prepare: (RunEngine) async throws -> (@Sendable () -> Void)
  ) async throws {
    if let error = launch.reserveOperations() { throw error }
    let (willStart, finishBlock) = state.withLock { ($0.willStart, didFinish($0)) }
    let engine = RunEngine(launch, run.bucket, nil, keeper: keeper, didFinish: finishBlock)
    do {
      let begin = try await prepare(engine)
      run.attach(engine)
      // The run that this one replaces may use the flow when it is freed, so it isn't freed under the lock.
      _ = state.withLock { exchange(&$0.run, with: run) }
      if let willStart, !run.hasBegun { await willStart(self) }
      begin()
    } catch {
      launch.blueprint.discardInstances(run.bucket)
      throw error
    }
  }

  /// Creates a run with an empty bucket, whose journal is still to be read.
  func makeUnopenedRun(_ launch: Launch, _ data: FlowData) -> FlowRun {
    let names = data.sensitiveNames.union(startingData.sensitiveNames)
    return FlowRun(RunOpening(launch), launch.makeBucket([:], hiding: names), launch.recorder)
  }

  /// Ends a run that an error, or a cancellation, prevents from beginning or continuing.
  ///
  /// Unless the run is new, its report has no steps.
  func refuse(_ run: FlowRun, _ launch: Launch, _ data: FlowData, _ error: any Error, isNew: Bool) {
    var refusal = Settlement(error)
    if let own = refusal.error?.flowError { refusal = .failed(own.located(flow: name, step: nil)) }
    for (name, value) in data.values { run.bucket.replace(value, named: name) }
    let engine = RunEngine(launch, run.bucket, refusal, didFinish: nil)
    if !isNew { engine.withFacts { $0.forgetSteps() } }
    run.attach(engine)
    run.begin()
  }
}

extension Launch {
  /// Returns true if the order in which a group's items have ended matters later: to undos, or to the receiver of
  /// results.
  func keepsItemOrder(of step: Int) -> Bool {
    guard blueprint.steps.indices.contains(step) else { return true }
    let options = blueprint.steps[step].options
    return options?.undo != nil || options?.results != nil
  }
}
