import Foundation

extension RunEngine {
  /// Makes timers on the run's clock, for something else than its state machine.
  package func makeTimers(fire: @escaping @Sendable ([TimerID]) -> Void) -> any RunTimers {
    clock.makeTimers(fire: fire)
  }

  /// What waits for the run's timers; it is made when the first one is requested.
  var runTimers: any RunTimers {
    state.withLock { state in
      let timers = state.timers ?? clock.makeTimers { self.fire($0) }
      state.timers = timers
      return timers
    }
  }

  /// All that are due are decided before any user's code is called: a `cancel()` that does not return holds up no timer.
  package func fire(_ due: [TimerID]) {
    var effects = PendingEffects()
    state.withLock { state in
      for timer in due {
        let wasStopping = state.machine.isStopping
        let decided = state.machine.fire(timer)
        if !wasStopping, state.machine.isStopping {
          let error = state.machine.ending?.error
          noteDecision(error, .call, &state)
        }
        state.noteDeadline(flowName, dates)
        take(decided, in: &effects, &state, at: dates.now)
      }
    }
    keeper?.flush()
    perform(effects)
  }
}

extension RunState {
  /// Keeps what decided the run's end, if that is its deadline.
  fileprivate mutating func noteDeadline(_ flowName: String, _ dates: RunDates) {
    guard !facts.isDecided, case .failed(let error as FlowError)? = machine.ending else { return }
    facts.decide(
      .failed(
        ReportedWork(
          ofFlow: flowName, error.located(flow: flowName, step: nil),
          after: beganAt.map { dates.elapsed - $0 } ?? .zero)))
  }
}
