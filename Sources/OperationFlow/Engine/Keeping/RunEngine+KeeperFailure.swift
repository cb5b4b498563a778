import Foundation

extension RunEngine {
  package var now: Date { dates.now }
  /// How long the run has been under way; `nil` if it has not begun.
  package var duration: Duration? { state.withLock { $0.beganAt }.map { dates.elapsed - $0 } }

  package func warn(_ text: String) { recorder.record(.warned(text), source: source) }

  /// Ends the run because what it decides can't be kept any longer.
  ///
  /// It can be resumed, so nothing is undone, and nothing more always runs.
  package func keepingDidFail(_ failure: FlowError) {
    var effects = PendingEffects()
    state.withLock { stop(leavingToResume: failure, &$0, &effects) }
    carryOutStop(&effects)
  }

  /// Ends a run that does nothing but wait, so that it can be resumed later; false if it does something else.
  ///
  /// `close` is called under the run's lock with how much work is under way, and knows whether all of it waits; with `nil` if
  /// anything else is to come, such as another attempt. If it agrees, nothing that settles afterwards may be kept. If it is
  /// forced, what the run does is cancelled, and done again later.
  package func putAway(_ reason: FlowError, inAnyCase isForced: Bool = false, close: (Int?) -> Bool) -> Bool {
    // It holds the flow, which isn't freed under the lock.
    var block: (@MainActor @Sendable () -> Void)?
    defer { withExtendedLifetime(block) {} }
    var effects = PendingEffects()
    let isStopped = state.withLock { state -> Bool in
      // The end of what is finishing may be kept already.
      guard state.hasBegun, !state.isReplaying, !state.machine.isFinishing, !state.machine.hasEnded,
        isForced || state.mayOnlyWait,
        close(state.mayOnlyWait ? state.machine.runningCount : nil)
      else { return false }
      block = state.outcome.didFinish.take()
      stop(leavingToResume: reason, &state, &effects)
      return true
    }
    if isStopped { carryOutStop(&effects) }
    return isStopped
  }

  /// Decides under the lock that the run ends, if that isn't decided already, and that nothing follows the decision.
  private func stop(leavingToResume failure: FlowError, _ state: inout RunState, _ effects: inout PendingEffects) {
    var decided = state.machine.leaveToResume()
    if !state.machine.isStopping {
      let located = failure.located(flow: flowName, step: nil)
      decided = state.machine.end(.failed(located))
      state.facts.journalFailed(located, flowName: flowName)
    }
    take(decided, in: &effects, &state, at: dates.now)
  }

  private func carryOutStop(_ effects: inout PendingEffects) {
    // Users' calls may not return, and the thread has work of the run to go on with.
    let cancelled = effects.known?.cancelled ?? []
    effects.known?.cancelled = []
    perform(effects)
    if !cancelled.isEmpty {
      addLane { for operation in self.stop(cancelled) { operation.callCancel() } }
    }
  }
}
