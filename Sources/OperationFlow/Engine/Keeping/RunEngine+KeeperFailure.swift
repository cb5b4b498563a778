import Foundation

extension RunEngine {
  /// The time by the run's clock.
  package var now: Date { dates.now }

  /// Records something that is wrong and stops nothing.
  package func warn(_ text: String) { recorder.record(.warned(text), source: source) }

  /// Ends the run because what it decides can't be kept any longer.
  ///
  /// It can be resumed, so nothing is undone, and nothing more always runs.
  package func keepingDidFail(_ failure: FlowError) {
    var effects = PendingEffects()
    state.withLock { state in
      var decided = state.machine.leaveToResume()
      if !state.machine.isStopping {
        let located = failure.located(flow: flowName, step: nil)
        decided = state.machine.end(.failed(located))
        state.facts.journalFailed(located, flowName: flowName)
      }
      recorder.write { record in
        state.note(decided, in: &effects, &record, blueprint, at: dates.now)
        effects.isWatched = record.isWatched
      }
      effects.laneCount = state.lanesToAdd()
    }
    // Users' calls may not return, and the thread has work of the run to go on with.
    let cancelled = effects.cancelled
    effects.cancelled = []
    perform(effects)
    if !cancelled.isEmpty {
      addLane { for operation in cancelled.compactMap({ $0.stop(self.bucket) }) { operation.callCancel() } }
    }
  }
}
