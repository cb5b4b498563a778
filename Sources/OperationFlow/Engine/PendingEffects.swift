import Foundation

/// Work that is cancelled.
struct CancelledWork: Sendable {
  let cancellable: Cancellable
  /// The claim, if it was parked, so that no lane ends it.
  let parked: Claim?
}

/// The effects of decisions under a run's lock, which are carried out outside it.
struct PendingEffects: ~Copyable {
  var isWatched = false
  /// The effects that the state machine has decided, in order.
  var decided: [RunEffect] = []
  var laneCount = 0
  var cancelled: [CancelledWork] = []
  /// True if the run may wait only for itself.
  var mayBeStuck = false
  /// The limiters whose permits were released.
  var limiters: [FlowLimiter] = []
  var follower: (any RunProgress.Follower)?

  /// The timers to start and stop, in order.
  var timers: [RunEffect] { decided.filter(\.isTimer) }
}

extension RunState {
  /// Records the decisions of the state machine, and adds them to the effects.
  mutating func record(
    _ decided: [RunEffect], in effects: inout PendingEffects, _ record: inout Recorder.Record, _ blueprint: Blueprint,
    at moment: RunMoment
  ) {
    effects.decided += decided
    for effect in decided {
      switch effect {
      case .cancel(let ticket):
        guard let claim = claims[ticket] else { continue }
        claim.isCancelled = true
        let parked = claim.stopWaiting() ? claim : nil
        effects.cancelled.append(CancelledWork(cancellable: claim.cancellable, parked: parked))
      case .deliver(let ticket, let work, let attempt):
        queue(.cancelled, Claim(ticket, work, attempt: attempt, at: moment.time))
      case .start, .stop, .abandon, .partEnded: break
      case .retryDenied(let step):
        record.append(
          .plain(.warned("isn't retried: the run's retry budget is used up")),
          source: FlowEvent.Source(blueprint.steps[step].name, step: step), at: moment)
      case .groupStopped(let step):
        record.append(.plain(.groupStopped), source: FlowEvent.Source("Group", step: step), at: moment)
      case .combined(let step): facts.closeOpen(step, .succeeded, at: moment.seconds)
      case .closed(let step): recordClosed(step, &record, blueprint, at: moment)
      }
    }
  }

  /// Records the end of a step that was cut off: it has failed if it contains work that has failed.
  private mutating func recordClosed(
    _ step: Blueprint.StepID, _ record: inout Recorder.Record, _ blueprint: Blueprint, at moment: RunMoment
  ) {
    let failure = facts.failureOfOpen(step)
    let end = (failure?.error).map { Settlement($0) } ?? .cancelled
    facts.closeOpen(step, FlowRecord.State(end), at: moment.seconds)
    switch blueprint.steps[step].kind {
    case .flow, .parallel:
      let source = FlowEvent.Source(blueprint.steps[step].name, step: step)
      record.append(
        end.recorded(as: failure?.errorText, underLock: true),
        source: failure == nil ? source : source.failing(.passedOn), at: moment)
    // The ends of these steps are no events.
    case .operation, .closure, .group, .cases: break
    }
  }
}

extension RunEngine {
  /// Records, under the lock, a decision that no end of work has made, and counts the lanes that it needs.
  func apply(_ decided: [RunEffect], in effects: inout PendingEffects, _ state: inout RunState, at moment: RunMoment) {
    recorder.write { record in
      state.record(decided, in: &effects, &record, blueprint, at: moment)
      effects.isWatched = record.isWatched
    }
    effects.laneCount += state.lanesToAdd()
  }

  /// Carries out decisions, outside all locks: first what the run needs, and users' calls last.
  func perform(_ effects: borrowing PendingEffects) {
    if !effects.limiters.isEmpty { FlowLimiter.serve(effects.limiters) }
    // This is done before anything continues, because the run may end by that.
    endPassedOver(effects)
    if effects.isWatched { recorder.deliver() }
    effects.follower?.apply()
    let stopped = stop(effects.cancelled)
    if !effects.decided.isEmpty { changeTimers(effects.timers) }
    addLanes(effects.laneCount)
    // Users' calls are made last: one that doesn't return delays nothing that the run needs.
    for operation in stopped { operation.callCancel() }
    for case .abandon(let ticket) in effects.decided { abandon(ticket) }
    if blueprint.has(.handedResults) { deliverResults() }
  }

  /// Ends the operations that never begin, and one that waits for an operation that can't begin before it.
  private func endPassedOver(_ effects: borrowing PendingEffects) {
    for case .partEnded(let block, let begun) in effects.decided {
      blueprint.discardInstances(ofEndedPart: block, begun: begun, bucket)
    }
    if effects.mayBeStuck { endStuck() }
  }

  /// Stops cancelled work, and ends work that has not begun; returns the operations whose `cancel()` has to be called.
  func stop(_ cancelled: [CancelledWork]) -> [FlowOperation] {
    cancelled.compactMap { work in
      let operation = work.cancellable.stop(bucket)
      if let parked = work.parked { endUnbegun(parked, .cancelled) }
      return operation
    }
  }
}
