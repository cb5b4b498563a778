import Foundation

extension FlowRun {
  /// An operation or a closure has ended: records it, keeps what it left, and goes on.
  func complete(_ slot: RunSlots.Slot, _ settlement: Settlement, output: (any Sendable)? = nil, inLane: Bool) {
    let settlement = settlement.located(flow: flowName, step: slot.source)
    // An error describes itself in code of its own, which must not run under the lock.
    let finish = settlement.eventFinish
    var output = output
    if case .item = slot.work, case .succeeded = settlement, let operation = slot.running.operation {
      output = operation.takeOutput()
    }
    settle(slot.work, .settled(settlement), inLane: inLane) { state in
      // Recorded in the same moment in which it counts, so that the record agrees with the outcome.
      let isWatched = recorder.append(.finished(finish), source: slot.source)
      guard case .item(_, let index) = slot.work else { return isWatched }
      let failure = itemFailure(slot, index, settlement, state)
      state.group?.end(index, output: output, failure: failure)
      if let failure { state.itemFailures.append(failure) }
      return isWatched
    }
  }

  private func itemFailure(
    _ slot: RunSlots.Slot, _ index: Int, _ settlement: Settlement, _ state: State
  ) -> FlowItemFailure? {
    guard let error = settlement.error, let input = state.group?.item(at: index) else { return nil }
    // What was cancelled because the run ends has not failed.
    if case .cancelled = settlement, state.machine.isStopping { return nil }
    return FlowItemFailure(name: slot.source.description, index: index, input: input, error: error)
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
    let settlement = settlement.located(flow: flowName, step: source)
    recorder.record(.finished(settlement.eventFinish), source: source)
    return settlement
  }

  /// Tells the state machine what a piece of work came to, and puts into effect what it decides.
  ///
  /// `keeping` runs under the lock, before the state machine is told; it says whether somebody is to hear of an event.
  func settle(
    _ work: RunWork, _ result: RunResult, inLane: Bool = true, keeping: (inout State) -> Bool = { _ in false }
  ) {
    let (running, lanes, progress, isWatched) = state.withLock { state in
      let isWatched = keeping(&state)
      let reaction = state.machine.settle(work, result)
      if reaction == .stopGroup { recorder.append(.groupStopped, source: .group) }
      let lanes = lanesToAdd(&state, continuing: inLane ? 1 : 0)
      let running = reaction == .none ? [] : state.slots.running
      return (running, lanes, state.progress?.moved(after: work, state.machine), isWatched)
    }
    if isWatched { recorder.deliver() }
    progress?.apply()
    for started in running { started.cancel() }
    addLanes(lanes)
  }

  // MARK: The end

  /// Everything that was started has settled: ends the run, and tells whoever waits.
  func finish() {
    if refusal == nil { blueprint.discardInstances() }
    let ending = state.withLock { $0.machine.ending } ?? .succeeded
    recorder.seal(with: .flowFinished(FlowEvent.Ending(ending), bucket.listing()), source: .dataBucket) {
      self.announce(ending)
    }
  }

  /// Every observer has been told of the end: tells those who wait for the outcome.
  private func announce(_ ending: Settlement) {
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
