@testable import OperationFlow

/// The state machine, as it is or with one fault put in between: a check that finds nothing has to be seen to find it.
struct SimulatedMachine: Sendable {
  enum Fault: Sendable, CaseIterable {
    case ignoresPause, pausesBookkeeping
    case isTooWide, isTooNarrow, toleratesMore, toleratesLess, losesAnItem, inventsAnItem, repeatsAnItem
    case skipsASuccess, swallowsAFailure, takesNoBranch, skipsAFlow
    case ignoresCancel, cancelsTwice, forgetsToStopTheGroup
    case endsWithTheLastFailure, endsBeforeAllHasSettled, neverEnds, endsTwice
    case offersTooMuch, offersNothing, losesOpenFlows, progressGoesBack, progressIsTooMuch, countsNoSteps
  }

  private var machine: RunStateMachine
  private let fault: Fault?

  init(_ blueprint: Blueprint, fault: Fault?) {
    machine = RunStateMachine(blueprint)
    self.fault = fault
  }

  // MARK: Inputs

  mutating func begin() { machine.begin() }
  mutating func refuse(_ error: FlowError) { machine.refuse(error) }

  mutating func pause(_ isPaused: Bool) {
    if fault != .ignoresPause { machine.isPaused = isPaused }
  }

  mutating func cancel() -> RunStateMachine.Reaction {
    switch fault {
    case .ignoresCancel: return machine.ending == nil ? .cancelRunning : .none
    case .cancelsTwice:
      _ = machine.cancel()
      return .cancelRunning
    default: return machine.cancel()
    }
  }

  mutating func claim() -> RunWork? {
    guard let fault else { return machine.claim() }
    if fault == .pausesBookkeeping, machine.isPaused { return nil }
    if fault == .neverEnds, machine.ending != nil { return nil }
    guard let work = machine.claim() else { return fault == .endsTwice && machine.hasEnded ? .finish : nil }
    switch (fault, work) {
    case (.repeatsAnItem, .item(let step, let index)) where index > 0: return .item(step, index: index - 1)
    case (.skipsAFlow, .enter), (.skipsASuccess, .step):
      _ = machine.settle(work, .settled(.succeeded))
      return claim()
    default: return work
    }
  }

  mutating func settle(_ work: RunWork, _ result: RunResult) -> RunStateMachine.Reaction {
    guard let fault else { return machine.settle(work, result) }
    let reaction = machine.settle(work, altered(work, result, by: fault))
    return fault == .forgetsToStopTheGroup ? .none : reaction
  }

  private func altered(_ work: RunWork, _ result: RunResult, by fault: Fault) -> RunResult {
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
    case (.takesNoBranch, .chosen): .chosen(nil)
    default: result
    }
  }

  // MARK: What it says

  var claimableCount: Int {
    switch fault {
    case .offersTooMuch: machine.claimableCount + 1
    case .offersNothing: 0
    case .pausesBookkeeping: machine.isPaused ? 0 : machine.claimableCount
    default: machine.claimableCount
    }
  }

  var hasEnded: Bool { machine.hasEnded || (fault == .endsBeforeAllHasSettled && machine.ending != nil) }

  var ending: Settlement? {
    guard fault == .endsWithTheLastFailure, case .failed = machine.ending else { return machine.ending }
    return .failed(TestError())
  }

  func fraction(reported: Double) -> Double {
    switch fault {
    case .progressGoesBack: 1 - machine.fraction(reported: reported)
    case .progressIsTooMuch: machine.fraction(reported: reported) * 1.01
    default: machine.fraction(reported: reported)
    }
  }

  var isStopping: Bool { machine.isStopping }
  var runningCount: Int { machine.runningCount }
  var stepCount: Int { fault == .countsNoSteps ? 0 : machine.stepCount }
  var openFlows: [Blueprint.StepID] { fault == .losesOpenFlows ? [] : machine.openFlows }
}
