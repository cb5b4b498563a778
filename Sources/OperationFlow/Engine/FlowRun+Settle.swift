import Foundation

extension FlowRun {
  /// An operation or a closure is about to start; false where the end is decided, and nothing may start any more.
  func willStart(_ slot: RunSlots.ID, _ source: FlowEvent.Source, _ running: RunSlots.Running = .untracked) -> Bool {
    let (mayStart, isWatched) = state.withLock { state in
      state.slots.track(running, in: slot)
      guard !state.machine.isStopping else { return (false, false) }
      return (true, recorder.append(.started, source: source))
    }
    if isWatched { recorder.deliver() }
    return mayStart
  }

  /// An operation or a closure has ended: records it, keeps what it left, and goes on.
  @discardableResult
  func complete(
    _ slot: RunSlots.ID, _ source: FlowEvent.Source, _ settlement: Settlement, output: (any Sendable)? = nil,
    lane: LaneUse
  ) -> Claim? {
    let settlement = settlement.located(flow: flowName, step: source)
    // An error describes itself in code of its own, which must not run under the lock.
    let finish = settlement.eventFinish
    // A value that is freed may use the run: so not under the lock.
    var freed: (any Sendable)?
    defer { withExtendedLifetime(freed) {} }
    return settle(slot, .settled(settlement), lane: lane) { state, work, record, now in
      // Recorded in the same moment in which it counts, so that the record agrees with the outcome.
      record.append(.finished(finish), source: source, at: now)
      guard case .item(_, let index) = work else { return }
      guard let error = settlement.error, let input = state.group?.item(at: index) else {
        freed = state.group?.end(index, output: output)
        return
      }
      // What was cancelled because the run ends has not failed.
      if case .cancelled = settlement, state.machine.isStopping { return }
      let failure = FlowItemFailure(name: source.description, index: index, input: input, error: error)
      freed = state.group?.end(index, failure: failure)
      state.itemFailures.append(failure)
    }
  }

  /// Records how something ended, with its place added to errors of our own.
  func recordEnd(_ settlement: Settlement, of source: FlowEvent.Source) -> Settlement {
    let settlement = settlement.located(flow: flowName, step: source)
    recorder.record(.finished(settlement.eventFinish), source: source)
    return settlement
  }

  /// Tells the state machine what the work in a slot came to, and puts into effect what it decides.
  ///
  /// A lane is given its next work in the same go. `keeping` runs under the locks, before the state machine is told.
  func settle(
    _ slot: RunSlots.ID, _ result: RunResult, lane: LaneUse,
    keeping: (inout State, RunWork, inout Recorder.Record, Date) -> Void = { _, _, _, _ in }
  ) -> Claim? {
    var effects = SettlingEffects()
    // One time for the end of this work and the start of the next, for there is nothing between them.
    let now = Date()
    var wasContended = false
    var next = state.withLock(isContended: &wasContended) { state -> Claim? in
      guard let work = state.slots.remove(slot) else { return nil }
      return recorder.write { record in
        keeping(&state, work, &record, now)
        let reaction = state.machine.settle(work, result)
        if reaction == .stopGroup { record.append(.groupStopped, source: .group, at: now) }
        if reaction != .none { effects.cancelled = state.slots.running }
        effects.progress = state.progress?.moved(after: work, state.machine)
        effects.rests = lane == .rests && state.machine.runningCount > 0
        let next = lane == .none || effects.rests ? nil : claim(&state, &record, at: now)
        if next == nil { state.slots.release(slot) }
        if effects.rests { state.pendingLaneCount += 1 }
        effects.laneCount = lanesToAdd(&state)
        effects.isWatched = record.isWatched
        return next.map { Claim(work: $0, slot: state.slots.reuse(slot, for: $0), hasStarted: $1) }
      }
    }
    next?.wasContended = wasContended
    if effects.isWatched { recorder.deliver() }
    effects.progress?.apply()
    for started in effects.cancelled { started.cancel() }
    addLanes(effects.laneCount)
    if effects.rests { addRestedLane() }
    return next
  }

  /// What is to be done outside the lock.
  private struct SettlingEffects {
    var isWatched = false
    var cancelled: [RunSlots.Running] = []
    var progress: RunProgress?
    var laneCount = 0
    var rests = false
  }

  // MARK: The end

  /// Everything that was started has settled: ends the run, and tells whoever waits.
  func finish() {
    if refusal == nil { blueprint.discardInstances() }
    let (decided, openFlows) = state.withLock { ($0.machine.ending, $0.machine.openFlows) }
    let ending = decided ?? .succeeded
    for flow in openFlows { _ = recordEnd(ending, of: FlowEvent.Source(blueprint.steps[flow].name)) }
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
    let (waiters, didFinish, _) = state.withLock { state in
      _ = state.machine.settle(.finish, .settled(ending))
      defer {
        state.waiters = []
        state.didFinish = nil
        state.group = nil
        state.paused = nil
      }
      state.outcome = outcome
      return (state.waiters, state.didFinish, state.group)
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
