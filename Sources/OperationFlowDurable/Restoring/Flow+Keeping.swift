import OperationFlow

// What a run with a keeper needs of its flow.
extension Flow {
  /// Makes a run that a keeper keeps, and lets it go on as `prepare` says, which may throw to refuse it.
  ///
  /// The closure restores the run, and returns what lets it go on.
  func makeRun(
    _ launch: Launch, _ bucket: DataBucket, _ keeper: any RunKeeper,
    _ prepare: (RunEngine) async throws -> (@Sendable () -> Void)
  ) async throws -> FlowRun {
    if let error = launch.reserveOperations() { throw error }
    let (willStart, finishBlock) = state.withLock { ($0.willStart, didFinish($0)) }
    let engine = RunEngine(launch, bucket, nil, keeper: keeper, didFinish: finishBlock)
    do {
      let begin = try await prepare(engine)
      let run = FlowRun(engine)
      // The run that this one replaces may use the flow when it is freed, so it isn't freed under the lock.
      _ = state.withLock { exchange(&$0.run, with: run) }
      if let willStart { await willStart(self) }
      begin()
      return run
    } catch {
      launch.blueprint.discardInstances(bucket)
      throw error
    }
  }

  /// Makes the bucket of such a run.
  func makeBucket(_ launch: Launch, _ values: [String: any Sendable], _ data: FlowData) -> DataBucket {
    let bucket = launch.makeBucket(values, hiding: data.sensitiveNames)
    bucket.markSensitive(startingData.sensitiveNames)
    return bucket
  }

  /// The outcome of a run that an error, or a cancellation, keeps from going on.
  ///
  /// Unless it is new, nothing is known of its steps.
  func refuse(_ launch: Launch, _ data: FlowData, _ error: any Error, isNew: Bool) async -> FlowOutcome {
    var refusal = Settlement(error)
    if case .failed(let error as FlowError) = refusal { refusal = .failed(error.located(flow: name, step: nil)) }
    let bucket = launch.makeBucket(data.values, hiding: data.sensitiveNames)
    let engine = RunEngine(launch, bucket, refusal, didFinish: nil)
    if !isNew { engine.changeFacts { $0.forgetSteps() } }
    let run = FlowRun(engine)
    run.begin()
    return await run.outcome
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
