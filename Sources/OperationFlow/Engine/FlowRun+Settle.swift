import Foundation

extension FlowRun {
  /// An operation or a closure has ended: records it, keeps what it left, and goes on.
  func complete(_ slot: RunSlots.Slot, _ settlement: Settlement, output: (any Sendable)? = nil, inLane: Bool) {
    let settlement = recordEnd(settlement, of: slot.source)
    guard case .item(_, let index) = slot.work else {
      return settle(slot.work, .settled(settlement), inLane: inLane)
    }
    var output = output
    if case .succeeded = settlement, let operation = slot.running.operation { output = operation.takeOutput() }
    settle(slot.work, .settled(settlement), inLane: inLane) { state in
      var failure: FlowItemFailure?
      // What was cancelled because the run ends has not failed.
      let isSpared = if case .cancelled = settlement { state.machine.isStopping } else { false }
      if let error = settlement.error, !isSpared, let input = state.group?.item(at: index) {
        failure = FlowItemFailure(name: slot.source.description, index: index, input: input, error: error)
      }
      state.group?.end(index, output: output, failure: failure)
      if let failure { state.itemFailures.append(failure) }
    }
  }

  /// Records a start; false where the end of the run is decided, and nothing may start any more.
  func recordStart(of source: FlowEvent.Source) -> Bool {
    let (mayStart, isWatched) = state.withLock { state in
      guard !state.machine.isStopping else { return (false, false) }
      return (true, recorder.append(.started, source: source))
    }
    if isWatched { recorder.deliver() }
    return mayStart
  }

  /// Records how something ended, with its place added to errors of our own.
  func recordEnd(_ settlement: Settlement, of source: FlowEvent.Source) -> Settlement {
    if case .succeeded = settlement {
      recorder.record(.finished(.successfully), source: source)
      return settlement
    }
    let settlement = settlement.located(flow: flowName, step: source.description)
    recorder.record(.finished(settlement.eventFinish), source: source)
    return settlement
  }

  /// Tells the state machine what a piece of work came to, and puts into effect what it decides.
  func settle(
    _ work: RunWork, _ result: RunResult, inLane: Bool = true, keeping: (inout State) -> Void = { _ in }
  ) {
    let (running, lanes, progress) = state.withLock { state in
      keeping(&state)
      let reaction = state.machine.settle(work, result)
      if reaction == .stopGroup { recorder.append(.groupStopped, source: .group) }
      let lanes = lanesToAdd(&state, continuing: inLane ? 1 : 0)
      return (reaction == .none ? [] : state.slots.running, lanes, state.progress?.moved(after: work, state.machine))
    }
    if !running.isEmpty { recorder.deliver() }
    progress?.apply()
    for started in running { started.cancel() }
    addLanes(lanes)
  }

  // MARK: The end

  /// Everything that was started has settled: ends the run, and tells whoever waits.
  func finish() {
    if refusal == nil { blueprint.discardInstances() }
    let ending = state.withLock { $0.machine.ending } ?? .succeeded
    recorder.seal(with: .flowFinished(FlowEvent.Ending(ending), bucket.listing()), source: .dataBucket)
    let report = makeReport()
    let outcome =
      switch ending {
      case .succeeded: FlowOutcome.succeeded(report)
      case .failed(let error): FlowOutcome.failed(error, report)
      case .cancelled: FlowOutcome.cancelled(report)
      }
    let (waiters, didFinish) = state.withLock { state in
      _ = state.machine.settle(.finish, .settled(ending))
      defer {
        state.waiters = []
        state.didFinish = nil
        state.group = nil
      }
      state.outcome = outcome
      return (state.waiters, state.didFinish)
    }
    for waiter in waiters { waiter.resume(returning: outcome) }
    if let didFinish { Task { @MainActor in didFinish() } }
  }

  private func makeReport() -> FlowReport {
    let data = bucket.values
    let log = recorder.log
    return state.withLock { state in
      FlowReport(
        flowName: flowName, duration: state.beganAt.map { .now - $0 } ?? .zero, stepCount: state.machine.stepCount,
        itemFailures: state.itemFailures, data: data, log: log)
    }
  }
}

extension FlowEvent.Ending {
  init(_ ending: Settlement) {
    switch ending {
    case .succeeded: self = .succeeded
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}
