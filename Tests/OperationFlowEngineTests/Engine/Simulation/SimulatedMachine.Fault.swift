@testable import OperationFlow

extension SimulatedMachine {
  enum Fault: Sendable, CaseIterable {
    case ignoresPause, pausesBookkeeping, pausesTimers
    case isTooWide, isTooNarrow, toleratesMore, toleratesLess, losesAnItem, inventsAnItem, repeatsAnItem
    case forgetsAShare, roundsAShareUp, decidesAShareTooEarly
    case skipsASuccess, swallowsAFailure, takesNoBranch, skipsAFlow, takesAMisfit, takesASecondResult
    case ignoresCancel, cancelsTwice, cancelsTooLittle, forgetsToStopTheGroup, tellsNoCancel
    case endsWithTheLastFailure, endsBeforeAllHasSettled, neverEnds, endsTwice
    case offersTooMuch, offersNothing, losesOpenSteps, opensOutermostFirst
    case progressGoesBack, progressIsTooMuch, countsNoSteps
    // Attempts
    case retriesOnceTooOften, retriesOnceTooSeldom, retriesACancellation, retriesAtOnce, waitsTooLong
    case countsEachAttempt, forgetsWhichAttempt
    // Timers
    case hasNoTimeout, startsNoTimer, keepsTheTimerRunning, ignoresTimers, takesAStoppedTimer, forgetsTheTimeout
    case tellsNoTimeout
    case hasNoTotalTime, neverAbandons, waitsForNothingAbandoned, ignoresTheDeadline
    // Work after a failure
    case recoversFromNothing, recoversAlways, ignoresAdvice, ignoresTheBudget, hasALargerBudget, deniesInSilence
    // Branches
    case losesABranch, runsBranchesInTurn
    // Ends of steps that contain others
    case closesNoSteps, closesOutermostFirst, closesAtTheDecision, closesAtTheEnd, leavesCasesOpen
    // Conditions
    case failsASkippedStep, runsASkippedStep, skipsAStepThatIsMeant, looksAtNoCondition, countsASkippedStep
    // Work after the end of the run is decided
    case forgetsWhatIsUncertain, undoesNothing, triesUndosOnceTooOften, repeatsAnUndo, pausesUndos, cancelsUndos,
      forgivesUndos
    case runsNothingAtTheEnd, runsInReverseAtTheEnd, succeedsDespiteItsEnd
    // Permits, and the delivery of results
    case timesNothingLimited, keepsNoPlaceForResults, forgivesHandings
    // Parking
    case resumesNothing, resumesInAPause, losesWhatIsParked, parksWhatIsCancelled
    // Settling and claiming in one call
    case losesWhatComesNext
  }

  /// Returns the plan that a faulty machine uses.
  static func plan(_ plan: SimulatedFlow.Plan, with fault: Fault?) -> AttemptPlan {
    var altered = AttemptPlan(
      count: plan.count, timeout: plan.timeout.map { .seconds($0) },
      totalTimeout: plan.total.map { .seconds($0) }, abandonsAfter: plan.patience.map { .seconds($0) },
      recovers: plan.recovery != nil)
    switch fault {
    case .retriesOnceTooOften: altered.count += 1
    case .retriesOnceTooSeldom: altered.count -= 1
    case .hasNoTimeout: altered.timeout = nil
    case .hasNoTotalTime: altered.totalTimeout = nil
    case .waitsForNothingAbandoned: altered.abandonsAfter = altered.abandonsAfter.map { _ in .zero }
    case .recoversFromNothing: altered.recovers = false
    case .recoversAlways: altered.recovers = true
    default: break
    }
    return altered
  }

  /// Returns the flows that a faulty machine runs at the end.
  static func always(_ steps: [SimulatedFlow.Step], with fault: Fault?) -> [SimulatedFlow.Step] {
    switch fault {
    case .runsNothingAtTheEnd: []
    case .runsInReverseAtTheEnd: steps.reversed()
    default: steps
    }
  }

  /// Returns the branches of a parallel step that a faulty machine runs.
  static func branches(_ branches: [[SimulatedFlow.Step]], with fault: Fault?) -> [[SimulatedFlow.Step]] {
    switch fault {
    case .losesABranch: branches.dropLast()
    case .runsBranchesInTurn: branches.isEmpty ? [] : [branches.flatMap(\.self)]
    default: branches
    }
  }

  /// Returns the result that a faulty machine uses instead of the right one.
  func altered(_ work: RunWork, _ result: RunResult, by fault: Fault) -> RunResult {
    switch (fault, result) {
    case (.isTooWide, .planned(let count, _, let width, let tolerance)):
      .planned(count: count, width: width + 1, tolerance: tolerance)
    case (.isTooNarrow, .planned(let count, _, let width, let tolerance)):
      .planned(count: count, width: max(1, width - 1), tolerance: tolerance)
    case (.toleratesMore, .planned(let count, _, let width, let tolerance)):
      .planned(count: count, width: width, tolerance: .failures(min(1_000, tolerance.failureCount(of: count)) + 1))
    case (.toleratesLess, .planned(let count, _, let width, let tolerance)):
      .planned(count: count, width: width, tolerance: .failures(min(1_000, tolerance.failureCount(of: count)) - 1))
    case (.forgetsAShare, .planned(let count, _, let width, let tolerance)) where tolerance.isShare:
      .planned(count: count, width: width, tolerance: .all)
    case (.roundsAShareUp, .planned(let count?, _, let width, let tolerance)) where tolerance.isShare:
      .planned(count: count, width: width, tolerance: .failures(tolerance.failureCount(of: count) + 1))
    case (.decidesAShareTooEarly, .planned(nil, _, let width, let tolerance)) where tolerance.isShare:
      .planned(count: nil, width: width, tolerance: .none)
    case (.losesAnItem, .planned(let count?, _, let width, let tolerance)):
      .planned(count: max(0, count - 1), width: width, tolerance: tolerance)
    case (.inventsAnItem, .planned(let count?, _, let width, let tolerance)):
      .planned(count: count + 1, width: width, tolerance: tolerance)
    case (.swallowsAFailure, .settled(.failed)): .settled(.succeeded)
    case (.ignoresAdvice, .failed(let error, _)): .settled(.failed(error))
    case (.retriesACancellation, .settled(.cancelled)): .settled(.failed(TestError()))
    case (.retriesAtOnce, .failed(let error, _)): .failed(error, retriedAfter: .zero)
    case (.waitsTooLong, .failed(let error, let delay)): .failed(error, retriedAfter: delay * 2)
    case (.takesNoBranch, .chosen): .chosen(nil)
    case (.forgivesUndos, .settled(.failed)), (.forgivesUndos, .failed):
      work.kind == .undo ? .settled(.succeeded) : result
    case (.failsASkippedStep, .skipped): .settled(.failed(TestError()))
    case (.runsASkippedStep, .skipped): .settled(.succeeded)
    case (.skipsAStepThatIsMeant, .settled(.succeeded)): work.kind == .check ? .skipped : result
    case (.takesAMisfit, .pulled), (.takesAMisfit, .entered), (.takesAMisfit, .planned):
      switch work.kind {
      case .step, .item, .collect, .leave: .settled(.succeeded)
      default: result
      }
    default: result
    }
  }

  /// Returns the effects that a faulty machine asks for.
  func altered(_ effects: [RunEffect]) -> [RunEffect] {
    switch fault {
    case .forgetsToStopTheGroup: effects.filter { if case .groupStopped = $0 { false } else { true } }
    case .neverAbandons: effects.filter { if case .abandon = $0 { false } else { true } }
    case .deniesInSilence: effects.filter { if case .retryDenied = $0 { false } else { true } }
    case .keepsTheTimerRunning: effects.filter { if case .stop = $0 { false } else { true } }
    case .closesNoSteps: effects.filter { if case .closed = $0 { false } else { true } }
    case .leavesCasesOpen: effects.filter { if case .combined = $0 { false } else { true } }
    case .closesOutermostFirst: effects.reversed()
    case .cancelsTooLittle:
      Array(effects.drop { if case .cancel = $0 { true } else { false } })
        + effects.prefix { if case .cancel = $0 { true } else { false } }.dropFirst()
    default: effects
    }
  }
}
