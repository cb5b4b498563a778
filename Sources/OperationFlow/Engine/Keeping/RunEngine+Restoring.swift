import Foundation

// The seam for a module that keeps runs, beside `RunKeeper`. To restore a run, it claims the work that was claimed before, and
// ends each piece as it had ended, by `claimNext`, `endRestored` and the calls below. Meanwhile nothing is performed or recorded,
// and there are no lanes. To leave a run, it decides under the run's lock that the run ends without a decision of its own.
extension RunEngine {
  // MARK: Beginning and ending

  /// Begins to restore the run, whose timers are noted instead of started.
  package func beginRestoring(_ timers: any RunTimers) {
    recorder.mute(true)
    let now = dates.elapsed
    let changes = state.withLock { state in
      state.isReplaying = true
      state.timers = timers
      state.beganAt = now
      // Attempts that were retried before must not meet the budget.
      state.machine.budget.limit = .unlimited
      return state.machine.begin(deadline: limits.deadline)
    }
    timers.apply(changes)
  }

  /// Ends it, after an error as well; the run continues when it begins.
  package func endRestoring() {
    state.withLock { $0.machine.budget.limit = limits.retryBudget }
    recorder.mute(false)
  }

  /// The claimed work with which a restored run continues, and its timers with the time that is left of each.
  package typealias Rest = (claims: [Claim], timers: [TimerID: Duration])

  func resume(with rest: Rest) {
    let cause = state.withLock { state in
      state.isReplaying = false
      state.timers = nil
      return state.cancelledBefore
    }
    // Before any lane is added: a run that was cancelled while it was restored begins nothing more.
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

  /// Ends a user's work as it had ended, with the delay before another attempt; `nil` if none followed.
  package func endRestored(
    _ claim: Claim, _ settlement: Settlement, retriedAfter delay: Duration?, _ source: FlowEvent.Source,
    output: (any Sendable)?
  ) {
    end(
      claim, .settled(settlement), source, .restored(retriedAfter: delay), output: output, lane: .none)
  }

  /// Notes whether an attempt had begun, in the process that had claimed it.
  package func noteBegun(_ claim: Claim, _ hasBegun: Bool) { state.withLock { _ in claim.hasBegun = hasBegun } }

  /// Decides the end from outside the steps, as it was decided: by an error, or by what has cancelled the run.
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

  /// The attempts that a timer delays, and the timer of all of them together; `nil` if it delays none.
  package func delayed(by timer: TimerID) -> (work: RunWork, totalTimer: TimerID?)? {
    state.withLock { state in
      guard case .attempt(let scope, _)? = state.machine.timers[timer],
        let attempts = state.machine.tree.attempts(scope), attempts.stage == .delayed
      else { return nil }
      return (attempts.work, attempts.timers.ofAll)
    }
  }

  // MARK: Under the lock

  /// Looks at the groups that are at work, or changes them, under the lock.
  package func withGroups<Result>(_ body: (GroupRuns) -> Result) -> Result { state.withLock { body($0.groups) } }

  package func withFacts<Result>(_ body: (inout RunFacts) -> Result) -> Result { state.withLock { body(&$0.facts) } }

  // MARK: Leaving

  /// Ends the run here, so that it can be resumed; returns false if it continues.
  ///
  /// Nothing is undone, and nothing more always runs.
  /// `decide` is called under the run's lock, and returns the error that the run ends with here; `nil` if it continues.
  /// Pass false for `callsDidFinish` if a later resume calls the did-finish block.
  @discardableResult
  package func leave(callsDidFinish: Bool = true, _ decide: (RunStanding) -> FlowError?) -> Bool {
    // It holds the flow, which isn't freed under the lock.
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
    // Users' calls may not return, and the thread has work of the run to do.
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
  /// Records what was before; called once, after the start.
  let record: @Sendable () -> Void
  /// Returns what continues; called once, in a lane.
  let rest: @Sendable () -> RunEngine.Rest

  package init(record: @escaping @Sendable () -> Void, rest: @escaping @Sendable () -> RunEngine.Rest) {
    self.record = record
    self.rest = rest
  }
}

/// A run at the moment at which it may be left to be resumed.
package struct RunStanding {
  /// True if it has begun, and its end isn't being kept already.
  package let mayBeLeft: Bool
  /// The number of claims if nothing is at work besides them, not even a time limit; `nil` if anything else is to follow.
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
