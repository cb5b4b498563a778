extension RunEngine {
  /// What waits for the run's timers; it is made when the first one is requested.
  var runTimers: any RunTimers {
    state.withLock { $0.rareOrNew.timers.orNew(clock.makeTimers { self.fire($0) }) }
  }

  /// All that are due are decided before any user's code is called: a `cancel()` that does not return holds up no timer.
  package func fire(_ due: [TimerID]) {
    var effects = PendingEffects()
    state.withLock { state in
      for timer in due {
        let wasStopping = state.machine.isStopping
        let decided = state.machine.fire(timer)
        if !wasStopping, state.machine.isStopping { noteDecision(state.machine.ending?.failure, .call, &state) }
        // What decides the end here is the deadline.
        if !state.facts.isDecided, case .failed(let error as FlowError)? = state.machine.ending {
          let time = state.beganAt.map { dates.elapsed - $0 } ?? .zero
          let located = error.located(flow: flowName, step: nil)
          state.facts.decide(.failed(ReportedWork(ofFlow: flowName, located, after: time)))
        }
        take(decided, in: &effects, &state, at: dates.now)
      }
    }
    keeper?.flush()
    perform(effects)
  }
}
