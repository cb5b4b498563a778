@testable import OperationFlow

extension SimulatedMachine {
  enum Fault: Sendable, CaseIterable {
    case ignoresPause, pausesBookkeeping, pausesTimers
    case isTooWide, isTooNarrow, toleratesMore, toleratesLess, losesAnItem, inventsAnItem, repeatsAnItem
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
    // Branches
    case losesABranch, meetsTooEarly, ignoresCancelOfABranch, cancelsAllBranches, cancelsTheRunForABranch
    case waitsForNoCancelledBranch, closesNoSteps, closesOutermostFirst
    // Settling and claiming in one go
    case losesWhatComesNext
  }

  /// The plan that a faulty machine works by.
  static func plan(_ plan: SimulatedFlow.Plan, with fault: Fault?) -> AttemptPlan {
    var altered = AttemptPlan(
      count: plan.count, delay: .seconds(plan.delay), timeout: plan.timeout.map { .seconds($0) })
    switch fault {
    case .retriesOnceTooOften: altered.count += 1
    case .retriesOnceTooSeldom: altered.count -= 1
    case .retriesAtOnce: altered.delay = .zero
    case .waitsTooLong: altered.delay *= 2
    case .hasNoTimeout: altered.timeout = nil
    default: break
    }
    return altered
  }

  /// What a faulty machine takes a result for.
  func altered(_ work: RunWork, _ result: RunResult, by fault: Fault) -> RunResult {
    switch (fault, result) {
    case (.isTooWide, .planned(let count, let width, let tolerance)):
      .planned(count: count, width: width + 1, tolerance: tolerance)
    case (.isTooNarrow, .planned(let count, let width, let tolerance)):
      .planned(count: count, width: max(1, width - 1), tolerance: tolerance)
    case (.toleratesMore, .planned(let count, let width, let tolerance)):
      .planned(count: count, width: width, tolerance: .failures(min(1_000, tolerance.failureCount) + 1))
    case (.toleratesLess, .planned(let count, let width, let tolerance)):
      .planned(count: count, width: width, tolerance: .failures(min(1_000, tolerance.failureCount) - 1))
    case (.losesAnItem, .planned(let count?, let width, let tolerance)):
      .planned(count: max(0, count - 1), width: width, tolerance: tolerance)
    case (.inventsAnItem, .planned(let count?, let width, let tolerance)):
      .planned(count: count + 1, width: width, tolerance: tolerance)
    case (.swallowsAFailure, .settled(.failed)): .settled(.succeeded)
    case (.retriesACancellation, .settled(.cancelled)): .settled(.failed(TestError()))
    case (.takesNoBranch, .chosen): .chosen(nil)
    case (.takesAMisfit, .pulled), (.takesAMisfit, .entered), (.takesAMisfit, .planned):
      switch work {
      case .step, .item, .collect, .leave: .settled(.succeeded)
      default: result
      }
    default: result
    }
  }

  /// What a faulty machine asks for.
  func altered(_ effects: [RunEffect]) -> [RunEffect] {
    switch fault {
    case .forgetsToStopTheGroup: effects.filter { if case .groupStopped = $0 { false } else { true } }
    case .keepsTheTimerRunning: effects.filter { if case .stop = $0 { false } else { true } }
    case .closesNoSteps: effects.filter { if case .closed = $0 { false } else { true } }
    case .closesOutermostFirst: effects.reversed()
    case .cancelsTooLittle:
      Array(effects.drop { if case .cancel = $0 { true } else { false } })
        + effects.prefix { if case .cancel = $0 { true } else { false } }.dropFirst()
    default: effects
    }
  }
}
