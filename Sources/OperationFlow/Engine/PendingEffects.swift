import Foundation

/// What is to be done outside a run's lock, as it was decided under it.
struct PendingEffects {
  var isWatched = false
  var cancelled: [RunningWork.Item] = []
  var timers: [RunEffect] = []
  var progress: RunProgress?
  var laneCount = 0
  var rests = false
  var freed = RunningWork.Item.untracked

  /// Records what the state machine has decided, and keeps what is to be done.
  mutating func take(
    _ decided: [RunEffect], _ state: RunState, _ record: inout Recorder.Record, _ blueprint: Blueprint, at date: Date
  ) {
    for effect in decided {
      switch effect {
      case .cancel(let ticket): cancelled.append(state.running[ticket])
      case .start, .stop: timers.append(effect)
      case .groupStopped(let step):
        record.append(.groupStopped, source: FlowEvent.Source("Group", step: step), at: date)
      case .closed(let step):
        let source = FlowEvent.Source(blueprint.steps[step].name, step: step)
        record.append(.finished(.cancelled), source: source, at: date)
      }
    }
  }
}
