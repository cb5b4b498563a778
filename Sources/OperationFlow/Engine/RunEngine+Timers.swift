import Foundation

extension RunEngine {
  /// Starts and stops timers; the object that waits for them is made when the first one is requested.
  func setTimers(_ effects: [RunEffect]) {
    let timers = state.withLock { state in
      let timers = state.timers ?? clock.makeTimers { self.fire($0) }
      state.timers = timers
      return timers
    }
    timers.take(effects)
  }

  private func fire(_ timer: TimerID) {
    var effects = PendingEffects()
    state.withLock { state in
      let decided = state.machine.fire(timer)
      recorder.write { record in effects.take(decided, state, &record, blueprint, at: Date()) }
      effects.laneCount = state.lanesToAdd()
    }
    perform(effects)
  }
}
