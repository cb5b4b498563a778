import Foundation

// The interface for a module that stores runs, together with `RunKeeper`. To restore a run, the module claims the work
// that was claimed before, and ends each piece as it had ended, with `claimNext`, `endRestored` and the calls below.
// Meanwhile nothing is performed or recorded, and there are no lanes. `leave` ends a run here, so that it can be
// resumed.
extension RunEngine {
  // MARK: Beginning and ending

  /// Begins to restore the run; `timers` records its timers instead of starting them.
  package func beginRestoring(_ timers: any RunTimers) {
    recorder.mute(true)
    let now = dates.elapsed
    let changes = state.withLock { state in
      state.isReplaying = true
      state.timers = timers
      state.beganAt = now
      // Retries of the earlier process must not be limited by the budget.
      state.machine.budget.limit = .unlimited
      return state.machine.begin(deadline: limits.deadline)
    }
    timers.apply(changes)
  }

  /// Ends the restoration, also after an error; the run continues when it begins.
  package func endRestoring() {
    state.withLock { $0.machine.budget.limit = limits.retryBudget }
    recorder.mute(false)
  }

  /// The claimed work with which a restored run continues, and its timers with their remaining times.
  package typealias Rest = (claims: [Claim], timers: [TimerID: Duration])

  func resume(with rest: Rest) {
    let cause = state.withLock { state in
      state.isReplaying = false
      state.timers = nil
      return state.cancelledBefore
    }
    // Before any lane is added: a run that was cancelled while it was restored starts nothing more.
    if let cause { cancel(by: cause) }
    var effects = PendingEffects()
    state.withLock { state in
      effects.laneCount = state.lanesToAdd()
      effects.decided = rest.timers.compactMap { timer, time in
        state.machine.timers[timer].map { _ in .start(timer, time) }
      }
    }
    perform(effects)
    for claim in rest.claims { addLane { self.runLane(from: claim) } }
    watchForQuiet()
  }

  // MARK: Claims and their endings

  /// Ends a user's work as it had ended; `delay` is that before the next attempt, or `nil` if none followed.
  package func endRestored(
    _ claim: Claim, _ settlement: Settlement, retriedAfter delay: Duration?, _ source: FlowEvent.Source,
    output: (any Sendable)?
  ) {
    end(
      claim, .settled(settlement), source, .restored(retriedAfter: delay), output: output, lane: .none)
  }

  /// Sets whether an attempt had begun in the process that claimed it.
  package func setBegun(_ claim: Claim, _ hasBegun: Bool) { state.withLock { _ in claim.hasBegun = hasBegun } }

  /// Decides the run's end as it was decided outside the steps: by an error, or by a cancellation.
  package func decide(_ error: (any Error)?, _ cause: FlowReport.Cancellation, at date: Date) {
    var effects = PendingEffects()
    state.withLock { state in
      let decided: [RunEffect]
      if let error {
        decided = state.machine.end(.failed(error))
        state.facts.decide(.failed(ReportedWork(ofFlow: flowName, error)))
      } else {
        decided = state.machine.cancel()
        state.facts.decide(.cancelled(cause))
      }
      apply(decided, in: &effects, &state, at: RunMoment(date: date))
    }
    perform(effects)
  }

  /// Returns the work whose next attempt the timer delays, and the timer of all its attempts; `nil` if it delays none.
  package func delayed(by timer: TimerID) -> (work: RunWork, totalTimer: TimerID?)? {
    state.withLock { state in
      guard case .attempt(let scope, _)? = state.machine.timers[timer],
        let attempts = state.machine.tree.attempts(scope), attempts.stage == .delayed
      else { return nil }
      return (attempts.work, attempts.timers.ofAll)
    }
  }

  // MARK: Under the lock

  /// Reads or changes the running groups under the lock.
  package func withGroups<Result>(_ body: (GroupRuns) -> Result) -> Result { state.withLock { body($0.groups) } }

  package func withFacts<Result>(_ body: (inout RunFacts) -> Result) -> Result { state.withLock { body(&$0.facts) } }

  // MARK: Leaving

  /// Ends the run here, so that it can be resumed; returns false if it continues.
  ///
  /// No undo and no `always` step starts any more. `decide` is called under the run's lock, and returns the error that
  /// the run ends with here; `nil` if it continues. Pass false for `callsDidFinish` if a later resume calls the
  /// did-finish block.
  @discardableResult
  package func leave(callsDidFinish: Bool = true, _ decide: (RunStanding) -> FlowError?) -> Bool {
    // The block retains the flow, which must not be freed under the lock.
    var block: (@MainActor @Sendable () -> Void)?
    defer { withExtendedLifetime(block) {} }
    var effects = PendingEffects()
    let now = dates.now
    let isLeft = state.withLock { state -> Bool in
      guard let failure = decide(RunStanding(state)) else { return false }
      if !callsDidFinish { block = state.outcome.didFinish.take() }
      var decided = state.machine.suspend()
      if !state.machine.isStopping {
        let located = failure.located(flow: flowName, step: nil)
        decided = state.machine.end(.failed(located))
        state.facts.journalFailed(located, flowName: flowName)
      }
      apply(decided, in: &effects, &state, at: now)
      return true
    }
    guard isLeft else { return false }
    // Users' calls may not return, and this thread has other work of the run to do.
    let cancelled = exchange(&effects.cancelled, with: [])
    perform(effects)
    if !cancelled.isEmpty {
      addLane { for operation in self.stop(cancelled) { operation.callCancel() } }
    }
    return true
  }
}

/// A restored run that is to continue.
package struct RestoredRun: Sendable {
  /// Records the events from before the resume; called once, after the start.
  let record: @Sendable () -> Void
  /// Returns the work that continues; called once, in a lane.
  let rest: @Sendable () -> RunEngine.Rest

  package init(record: @escaping @Sendable () -> Void, rest: @escaping @Sendable () -> RunEngine.Rest) {
    self.record = record
    self.rest = rest
  }
}

/// The state of a run when a keeper decides whether to leave it for a resume.
package struct RunStanding {
  /// True if the run has begun, isn't being restored, and isn't at its end.
  package let mayBeLeft: Bool
  /// The number of claims if nothing else is pending, not even a timer; otherwise `nil`.
  package let waitingCount: Int?
  /// The work that is claimed.
  package let works: [RunWork]

  fileprivate init(_ state: borrowing RunState) {
    mayBeLeft =
      state.hasBegun && !state.isReplaying && !state.machine.isFinishing && !state.machine.hasEnded
    waitingCount = state.mayOnlyWait ? state.machine.runningCount : nil
    works = state.machine.claims.all.map(\.value.work)
  }
}
