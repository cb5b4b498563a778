import Foundation

// Starts operations, and handles those that don't end in the call that starts them.
extension StepPerformer {
  /// Starts an operation that was made, with the values of its item.
  ///
  /// `type` is its likely class. The events have the operation's own name if it has one, or that of its class. With
  /// `keepsName`, they have the source's name, as for an undo.
  func run(
    _ operation: consuming FlowOperation, _ scope: ItemScope?, _ claim: Claim,
    _ expectedSource: FlowEvent.Source, type expectedType: OperationType?, isReserved: Bool = false,
    keepsName: Bool = false
  ) -> Claim? {
    let type = OperationType.of(operation, expecting: expectedType)
    if let lane, !lane.isOnThread, !type.onlyRuns {
      leaveToThread(consume operation, from: lane) {
        $0.run($1, scope, claim, expectedSource, type: expectedType, isReserved: isReserved, keepsName: keepsName)
      }
      return nil
    }
    var source = expectedSource
    if engine.blueprint.has(.features) { prepare(operation, of: Int(source.step)) }
    // The expected source has the name of its class already.
    if !keepsName, let name = operation.name ?? (type === expectedType ? nil : type.name) {
      source.name = name
    }
    let started = start(operation, type, claim, source, scope: scope, isReserved: isReserved)
    guard let started else { return fail(Self.usedTwice(expectedSource, type, isReserved), claim, source) }
    guard started.waitsUndeclared else { return started.next }
    var loose: FlowOperation? = consume operation
    loosen(&loose, claim, source)
    return nil
  }

  /// Leaves an operation that may block to a thread.
  ///
  /// Nothing else retains the operation, so that one that can't finish any more is freed.
  private func leaveToThread(
    _ operation: consuming FlowOperation, from lane: TaskLane,
    _ run: @escaping @Sendable (StepPerformer, consuming FlowOperation) -> Claim?
  ) {
    let left = Locked<FlowOperation?>(consume operation)
    lane.leave { [engine] lane in
      guard let operation = left.withLock({ $0.take() }) else { return }
      engine.runLane(from: run(StepPerformer(engine: engine, lane: lane), operation), in: lane)
    }
  }

  private func prepare(_ operation: FlowOperation, of step: Blueprint.StepID) {
    for feature in engine.blueprint.features(of: step) { feature.prepare(operation) }
  }

  /// Ends work that has no operation to start.
  func fail(_ error: any Error, _ claim: Claim, _ source: FlowEvent.Source) -> Claim? {
    // A run that is cancelled has ended the operations that it has not started; they are no longer available.
    let settlement = engine.isStopping(claim.ticket) ? .cancelled : Settlement(error)
    return engine.end(claim, .settled(settlement), source, lane: .continues)
  }

  /// Starts an operation; `waitsUndeclared` is true if it returned without finishing or calling
  /// `startWithAsynchronous()`.
  ///
  /// It returns `nil` if the operation was used before.
  private func start(
    _ operation: FlowOperation, _ type: OperationType, _ claim: Claim, _ source: FlowEvent.Source,
    scope: ItemScope?, isReserved: Bool
  ) -> (next: Claim?, waitsUndeclared: Bool)? {
    guard operation.isReady, !LaneQueue.mustEnqueue(operation) else {
      guard operation.attach(engine, claim.ticket, source, scope: scope, isReserved: isReserved) else { return nil }
      startWhenReady(operation, claim, source)
      return (nil, false)
    }
    let execution = engine.calling(claim.ticket) {
      operation.execute(in: engine, claim.ticket, source, type, scope: scope, isReserved: isReserved)
    }
    switch execution {
    case .ended(let settlement):
      let output = source.item == nil ? nil : output(of: operation, type, source, settlement)
      return (engine.end(claim, .settled(settlement), source, output: output, lane: .continues), false)
    case .runs:
      type.sawRun()
      engine.workBeginsLater(claim.ticket, source)
      awaitEnd(of: .run(operation, claim, source), source)
      return (nil, false)
    case .waitsUndeclared: return (nil, true)
    case .waits: return (nil, false)
    case nil: return nil
    }
  }

  /// Returns the error for a used operation: one that was added as an object, or one that a factory returned.
  private static func usedTwice(_ source: FlowEvent.Source, _ type: OperationType, _ isReserved: Bool) -> FlowError {
    isReserved ? .usedTwice(source.name) : .madeBefore(source.name, type: type.name)
  }

  /// Parks an operation until those that it depends on have finished.
  ///
  /// The operation isn't added to the queue, which would retain it although it may have to be freed. A block with the
  /// same dependencies is added instead, and starts it. If the run ends first, both drop their dependencies.
  private func startWhenReady(_ operation: FlowOperation, _ claim: Claim, _ source: FlowEvent.Source) {
    let starter = LaneQueue.starter { [weak engine, ticket = claim.ticket] in engine?.resumeHere(ticket) }
    LaneQueue.adjust(starter, for: operation)
    for dependency in operation.dependencies { starter.addDependency(dependency) }
    let waiting = Cancellable.waiting(operation, starter: starter)
    let (isParked, limiters) = engine.state.withLock { state -> (Bool, [FlowLimiter]) in
      guard state.claims[claim.ticket] != nil else { return (false, []) }
      claim.cancellable = waiting
      claim.isUnderWay = true
      // The operations that it depends on may need its permits.
      return (state.park(claim, for: .dependencies), claim.permits?.release() ?? [])
    }
    FlowLimiter.serve(limiters)
    engine.enqueue(starter)
    if isParked { engine.endStuck() } else { _ = waiting.stop(engine.bucket) }
  }

  /// Starts an operation whose dependencies have finished.
  func start(_ claim: Claim) {
    var operation = engine.state.withLock { _ in claim.cancellable.operation }
    guard let source = operation?.source(in: engine) else { return }
    let execution = engine.calling(claim.ticket) { operation?.executeAndReport() }
    if case .waitsUndeclared = execution { loosen(&operation, claim, source) }
  }

  /// Releases an operation that returned without finishing or calling `startWithAsynchronous()`.
  ///
  /// If that was the last reference, the operation has failed by the time this method returns.
  private func loosen(_ operation: inout FlowOperation?, _ claim: Claim, _ source: FlowEvent.Source) {
    if let operation {
      engine.state.withLock { _ in
        if claim.cancellable.operation === operation { claim.cancellable = .loose(WeakOperation(operation)) }
      }
    }
    weak let held = operation
    operation = nil
    if held != nil {
      let advice = "returned without finishing: taken as asynchronous. Call startWithAsynchronous() before returning."
      engine.recorder.record(.warned(advice), source: source)
    }
  }

  /// Returns the output of an item that has succeeded; if its name is sensitive, so is the output of its group.
  func output(
    of operation: FlowOperation?, _ type: OperationType?, _ source: FlowEvent.Source, _ settlement: Settlement
  ) -> (any Sendable)? {
    guard source.item != nil, case .succeeded = settlement else { return nil }
    guard let (output, isSensitive) = operation?.primaryOutput(type) else { return nil }
    if isSensitive { engine.withGroups { $0[Int(source.step)]?.hidesOutputs = true } }
    return output
  }
}
