import Foundation

// What a run is restored with: a module of its own claims the same work again, and settles it with the results that were
// kept. Meanwhile nothing is performed or recorded, and there are no lanes.
extension RunEngine {
  /// Begins to restore the run, whose timers are noted instead of started.
  package func beginRestoring(_ timers: any RunTimers) {
    recorder.mute(true)
    let now = dates.elapsed
    let changes = state.withLock { state in
      state.isReplaying = true
      state.rareOrNew.timers = timers
      state.beganAt = now
      // What was tried again must not meet the budget.
      state.machine.budget.limit = .unlimited
      return state.machine.begin(deadline: limits.deadline)
    }
    timers.take(changes)
  }

  /// Ends it, after an error as well; the run goes on when it begins.
  package func endRestoring() {
    state.withLock { $0.machine.budget.limit = limits.retryBudget }
    recorder.mute(false)
  }

  /// Records what was before the resume and counts after it: undos, recoveries, what failed at the end, and groups at work.
  func recordRestored() {
    let (failedSteps, groups) = state.withLock { state in
      (
        Set(state.facts.notes(.alwaysFailure).compactMap(\.step)),
        state.groups.all.map { ($0.step, $0.run.itemCounts()) }
      )
    }
    for (kind, source) in recorder.takeHeld() {
      if case .finished = kind.outline, source.item != nil || !failedSteps.contains(Int(source.step)) { continue }
      recorder.record(kind, source: source)
    }
    for (step, counts) in groups {
      let source = FlowEvent.Source(blueprint.steps[step].name, step: step)
      recorder.record(counts.total.map { .groupCreated(count: $0) } ?? .groupStarted, source: source)
      let endedCount = counts.succeeded + counts.failed + counts.cancelled
      if endedCount > 0 { recorder.record(.leftOut(events: 0, items: endedCount), source: source) }
    }
  }

  /// What goes on when a restored run begins: claimed work, and timers with their times.
  package typealias Rest = (claims: [Claim], timers: [TimerID: Duration])

  func goOn(with rest: Rest) {
    var effects = PendingEffects()
    state.withLock { state in
      state.isReplaying = false
      state.rareOrNew.timers = nil
      effects.laneCount = state.lanesToAdd()
    }
    effects.timers = rest.timers.map { .start($0, $1) }
    perform(effects)
    for claim in rest.claims { addLane { self.runLane(from: claim) } }
    watchForQuiet()
    if let cause = state.withLock({ $0.rare?.cancelledBefore }) { cancel(by: cause) }
  }

  /// Ends a user's work as it had ended, with the delay before another attempt; `nil` if none followed.
  package func endRestored(
    _ claim: Claim, _ settlement: Settlement, retriedAfter delay: Duration?, _ source: FlowEvent.Source,
    output: (any Sendable)?
  ) {
    end(
      claim.ticket, .settled(settlement), source, .restored(retriedAfter: delay), output: output, lane: .none)
  }

  /// The attempts that a timer delays, and what times all of them together; `nil` if it delays none.
  package func delayed(by timer: TimerID) -> (work: RunWork, totalTimer: TimerID?)? {
    state.withLock { state in
      guard case .attempt(let scope, _)? = state.machine.timers[timer],
        let attempts = state.machine.tree.attempts(scope), attempts.stage == .delayed
      else { return nil }
      return (attempts.work, attempts.timers.ofAll)
    }
  }

  /// Looks at a group, or changes it, under the lock; `nil` if it is not at work.
  package func withGroup<Result>(_ step: Int, _ body: (GroupRun) -> Result) -> Result? {
    state.withLock { $0.groups[step].map(body) }
  }

  package func changeFacts(_ change: (inout RunFacts) -> Void) { state.withLock { change(&$0.facts) } }

  /// Drops the results of groups, which have been written.
  package func dropResults() { _ = state.withLock { $0.groups.takeResults() } }

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
      take(decided, in: &effects, &state, at: RunMoment(date: date))
    }
    perform(effects)
  }

  /// Ends a group, unless what it collects could not be written.
  package func endGroupAgain(_ step: Int, isWritten: Bool) {
    let run = state.withLock { $0.endGroup(step) }
    _ = run?.takeResults()
    if !isWritten, let run { state.withLock { $0.groups.begin(run, step) } }
  }
}
