import Foundation

// What a run with a keeper needs of its flow.
extension Flow {
  /// The flow as it is now.
  package var launch: Launch { makeLaunch(on: nil) }

  /// Makes a run that a keeper keeps, and lets it go on as `prepare` says, which may throw to refuse it.
  ///
  /// The closure restores the run, and returns what lets it go on.
  package func makeRun(
    _ launch: Launch, _ bucket: DataBucket, _ keeper: any RunKeeper,
    _ prepare: (RunEngine) async throws -> (@Sendable () -> Void)
  ) async throws -> FlowRun {
    if let error = launch.reserveOperations() { throw error }
    let (finishBlock, willStart) = state.withLock { state in (didFinish(state), state.willStart) }
    let engine = launch.engine(bucket, nil, keeper: keeper, didFinish: finishBlock)
    do {
      let begin = try await prepare(engine)
      let run = FlowRun(engine)
      let earlier = state.withLock { state in
        defer { state.run = run }
        return state.run
      }
      withExtendedLifetime(earlier) {}
      if let willStart { await willStart(self) }
      begin()
      return run
    } catch {
      launch.blueprint.discardInstances(bucket)
      launch.blueprint.finishOutlets(isReserved: true)
      throw error
    }
  }

  /// Makes the bucket of such a run.
  package func makeBucket(_ launch: Launch, _ values: [String: any Sendable], _ data: FlowData) -> DataBucket {
    let names = data.sensitiveNames.union(launch.sensitiveNames)
    let bucket = DataBucket(values, sensitiveNames: names, recorder: launch.recorder)
    bucket.markSensitive(initialData.sensitiveNames)
    return bucket
  }

  // MARK: Refusing

  /// The outcome of a run that an error, or a cancellation, keeps from going on.
  ///
  /// Unless it is new, nothing is known of its steps.
  package func refuse(_ launch: Launch, _ data: FlowData, _ error: any Error, isNew: Bool) async -> FlowOutcome {
    let ending = Settlement(error)
    if case .failed(let error as FlowError) = ending { return await refuse(launch, data, error, isNew: isNew) }
    return await refuse(launch, data, ending, isNew: isNew)
  }

  private func refuse(_ launch: Launch, _ data: FlowData, _ error: FlowError, isNew: Bool) async -> FlowOutcome {
    let bucket = DataBucket(
      data.values, sensitiveNames: data.sensitiveNames.union(launch.sensitiveNames), recorder: launch.recorder)
    let engine = launch.engine(bucket, error.located(flow: name, step: nil), didFinish: nil)
    if !isNew { engine.state.withLock { $0.facts.forgetSteps() } }
    let run = FlowRun(engine)
    run.begin()
    return await run.outcome
  }

  /// The outcome of a run that is cancelled before it goes on, or that code of its user keeps from it.
  private func refuse(_ launch: Launch, _ data: FlowData, _ ending: Settlement, isNew: Bool) async -> FlowOutcome {
    let recorder = launch.recorder
    let names = data.sensitiveNames.union(launch.sensitiveNames)
    let bucket = DataBucket(data.values, sensitiveNames: names, recorder: recorder)
    recorder.record(.flowStarted(bucket.listing()), source: .dataBucket)
    var facts = RunFacts(isNew ? launch.facts.table : nil)
    if case .failed(let error) = ending {
      facts.decide(.failed(FlowReport.Failure(ofFlow: name, error, isRefusal: true)))
    } else {
      recorder.record(.cancelRequested, source: FlowEvent.Source(name))
      facts.decide(.cancelled(.task))
    }
    let items = bucket.listing()
    await withCheckedContinuation { continuation in
      recorder.seal(with: ending.recorded { .flowFinished($0, items) }, source: .dataBucket) { continuation.resume() }
    }
    facts.end(at: Date())
    let report = FlowReport(
      flowName: name, duration: .zero, stepCount: 0, itemFailures: [], data: bucket.values, log: recorder.log,
      facts: facts
    ).hidingSecrets
    if case .failed(let error) = ending { return .failed(error, report) }
    return .cancelled(report)
  }
}

extension Launch {
  /// The shape of each step, on which the entries of a kept run depend.
  package var shape: [StepShape] { blueprint.shape(facts.paths) }

  /// For how long a step's starts count in the rates of its limiters; `nil` if it has no such limiter.
  package func ratePeriod(of step: Int) -> Duration? { blueprint.ratePeriod(of: step) }

  /// Returns true if the order in which a group's items have ended matters later: to undos, or to the receiver of
  /// results.
  package func keepsItemOrder(of step: Int) -> Bool {
    guard blueprint.steps.indices.contains(step) else { return true }
    let special = blueprint.steps[step].options.special
    return special?.undo != nil || special?.results != nil
  }

  /// Makes the report of a run that has ended in another process, of whose steps nothing is known.
  ///
  /// It hides the values that are given again, and those that were kept: others are no longer known.
  package func report(
    _ data: FlowData, keepsPaths: Bool, duration: Duration, stepCount: Int, _ values: [String: any Sendable],
    hiding hiddenNames: [String], _ fill: (inout RestoredEnd) -> Void
  ) -> FlowReport {
    var log = recorder.log.emptied(hiding: data.sensitiveNames.union(sensitiveNames), of: data.values)
    for name in hiddenNames { log.hide(name) }
    var end = RestoredEnd(flowName: flowName, table: keepsPaths ? facts.table : nil)
    fill(&end)
    return FlowReport(
      flowName: flowName, duration: duration, stepCount: stepCount, itemFailures: end.itemFailures, data: values,
      log: log, facts: end.facts
    ).hidingSecrets
  }
}
