import Foundation

/// Work that is cancelled.
struct CancelledWork: Sendable {
  let cancellable: Cancellable
  /// The claim, if it was parked, so that no lane ends it.
  let parked: Claim?
}

/// What is to be done outside a run's lock, as it was decided under it.
struct PendingEffects: ~Copyable {
  /// What is to be done after few steps.
  final class Rare {
    var cancelled: [CancelledWork] = []
    var abandoned: [WorkTicket] = []
    /// The parts of the run that are at their ends, and the blocks in them that have begun.
    var endedParts: [(block: Blueprint.BlockID, begun: Set<Blueprint.BlockID>)] = []
    /// True if the run may wait for nothing but itself.
    var mayBeStuck = false
    /// Limiters of which permits have been given back.
    var limiters: [FlowLimiter] = []
    var follower: (any RunProgress.Follower)?
  }

  var isWatched = false
  /// The timers that are started and stopped, in order.
  var timers: [RunEffect] = []
  var laneCount = 0
  private(set) var known: Rare?
  /// Made when it is first needed, so that effects without it are small.
  var rare: Rare { mutating get { known.orNew(Rare()) } }

  /// Whether anything is to be done; after most steps, nothing is.
  var isEmpty: Bool { !isWatched && laneCount == 0 && known == nil && timers.isEmpty }
}

extension RunState {
  /// Records what the state machine has decided, and adds what is to be done to the effects.
  mutating func note(
    _ decided: [RunEffect], in effects: inout PendingEffects, _ record: inout Recorder.Record, _ blueprint: Blueprint,
    at moment: RunMoment
  ) {
    for effect in decided {
      switch effect {
      case .cancel(let ticket):
        guard let claim = claims[ticket] else { continue }
        let parked = claim.stopWaiting() ? claim : nil
        effects.rare.cancelled.append(CancelledWork(cancellable: claim.cancellable, parked: parked))
      case .start, .stop: effects.timers.append(effect)
      case .abandon(let ticket): effects.rare.abandoned.append(ticket)
      case .partEnded(let block, let begun): effects.rare.endedParts.append((block, begun))
      case .retryDenied(let step):
        record.append(
          .plain(.warned("isn't tried again: the run's retry budget is spent")),
          source: FlowEvent.Source(blueprint.steps[step].name, step: step), at: moment)
      case .groupStopped(let step):
        record.append(.plain(.groupStopped), source: FlowEvent.Source("Group", step: step), at: moment)
      case .combined(let step): facts.closeOpen(step, .succeeded, at: moment.seconds)
      case .closed(let step): noteClosed(step, &record, blueprint, at: moment)
      }
    }
  }

  /// Notes the end of a step that was cut off: it has failed if it contains what has failed.
  private mutating func noteClosed(
    _ step: Blueprint.StepID, _ record: inout Recorder.Record, _ blueprint: Blueprint, at moment: RunMoment
  ) {
    let failure = facts.failureOfOpen(step)
    let end = (failure?.error).map { Settlement($0) } ?? .cancelled
    facts.closeOpen(step, StepState(end), at: moment.seconds)
    switch blueprint.steps[step].kind {
    case .flow, .parallel:
      let source = FlowEvent.Source(blueprint.steps[step].name, step: step)
      record.append(
        end.recorded(as: failure?.errorText, underLock: true),
        source: failure == nil ? source : source.failing(.passedOn), at: moment)
    // Their ends are no events.
    case .operation, .closure, .group, .cases: break
    }
  }
}
