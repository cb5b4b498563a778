/// Asks a test what happens to each piece of work of a step, and lets that happen.
struct Interceptor {
  let engine: RunEngine
  let step: Blueprint.StepID
  /// The name that events of the work are about.
  let name: String

  /// What happens to a piece of work; `nil` if it does its work.
  func interception(of claim: RunClaim) -> RunProbe.Interception? {
    guard !claim.wasIntercepted, let intercept = engine.probe?.intercept, let path = engine.paths.path(of: step)
    else { return nil }
    let stepName = engine.blueprint.steps[step].name
    return intercept(
      RunProbe.Work(path: path, name: stepName, item: claim.work.item, attempt: claim.attempt))
  }

  func perform(_ interception: RunProbe.Interception, _ claim: RunClaim) -> RunClaim? {
    let source = claim.source(name, of: step)
    if interception.delay == nil, let settlement = settlement(of: interception.end) {
      return end(claim, source, settlement, lane: .goesOn)
    }
    // The claim is the only thing that is known of the work until its delay is over.
    var rest = claim
    rest.wasIntercepted = true
    let (engine, later) = (engine, rest)
    ClosurePerformer(engine: engine).startTask(claim.ticket) {
      if let delay = interception.delay { try await engine.clock.sleep(for: delay.clamped()) }
      if case .hangs = interception.end { try await hang() }
      return nil
    } done: { settlement, _ in
      if settlement.isSuccess, interception.end == nil { return engine.continueLane(with: later) }
      end(
        later, source, settlement.isSuccess ? self.settlement(of: interception.end) ?? .cancelled : settlement,
        lane: .none)
    }
    return nil
  }

  /// How work ends that doesn't hang; `nil` if it hangs, or does what it would do.
  private func settlement(of end: RunProbe.Interception.End?) -> Settlement? {
    switch end {
    case .fails(let error): Settlement(error)
    case .isCancelled: .cancelled
    case .hangs, nil: nil
    }
  }

  @discardableResult
  private func end(_ claim: RunClaim, _ source: FlowEvent.Source, _ settlement: Settlement, lane: LaneUse) -> RunClaim?
  {
    // The start of a closure is recorded when it is claimed.
    let isRecorded = claim.hasStarted && engine.blueprint.closureName(step) != nil
    let hasStarted = isRecorded || engine.willStart(claim.ticket, source)
    return engine.complete(claim.ticket, source, hasStarted ? settlement : .cancelled, lane: lane)
  }
}

/// Waits until the task is cancelled; a clock that a program drives learns that nothing else is to be expected.
private func hang() async throws {
  DrivenWork.current?.noteWaiting(true)
  defer { DrivenWork.current?.noteWaiting(false) }
  let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
  // A cancelled task ends the loop.
  for await _ in stream {}
  withExtendedLifetime(continuation) {}
  throw CancellationError()
}
