import Foundation

/// What is to be done outside a run's lock, as it was decided under it.
struct PendingEffects {
  var isWatched = false
  var cancelled: [RunningWork.Item] = []
  var timers = TimerChanges()
  /// What takes these changes, if it was there.
  var runTimers: (any RunTimers)?
  /// What is not waited for any longer.
  var abandoned: [WorkTicket] = []
  /// Limiters of which permits have been given back.
  var limiters: [FlowLimiter] = []
  var progress: RunProgress?
  var laneCount = 0
  var freed = RunningWork.Item.untracked
}

extension RunState {
  /// Records what the state machine has decided, and adds what is to be done to the effects.
  ///
  /// It is mutating so that the state, which is large, isn't copied for it.
  mutating func note(
    _ decided: [RunEffect], in effects: inout PendingEffects, _ record: inout Recorder.Record, _ blueprint: Blueprint,
    at date: Date
  ) {
    for effect in decided {
      switch effect {
      case .cancel(let ticket): effects.cancelled.append(running[ticket])
      case .start, .stop: effects.timers.append(effect)
      case .abandon(let ticket): effects.abandoned.append(ticket)
      case .retryDenied(let step):
        record.append(
          .warned("isn't tried again: the run's retry budget is spent"),
          source: FlowEvent.Source(blueprint.steps[step].name, step: step), at: date)
      case .groupStopped(let step):
        record.append(.groupStopped, source: FlowEvent.Source("Group", step: step), at: date)
      case .closed(let step):
        let source = FlowEvent.Source(blueprint.steps[step].name, step: step)
        let failure = facts.failureOfOpen(step)
        let end = (failure?.error).map { Settlement($0) } ?? .cancelled
        record.append(
          end.recorded(as: failure?.text, FlowEvent.Kind.finished),
          source: failure == nil ? source : source.failing(.passedOn), at: date)
      }
    }
  }
}
