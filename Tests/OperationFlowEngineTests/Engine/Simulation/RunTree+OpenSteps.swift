@testable import OperationFlow

extension RunTree {
  /// The steps that have started and not ended, and that no claimed work ends, the innermost first.
  var openSteps: [Blueprint.StepID] {
    var closing = ClosingSteps(scopes, attempts)
    return closing.closeIdle().compactMap { if case .closed(let step) = $0 { step } else { nil } }
  }
}

extension RunStateMachine {
  init(_ blueprint: Blueprint, retryBudget: FlowRetryBudget = .unlimited) {
    self.init(SharedBlueprint(blueprint), retryBudget: retryBudget)
  }
}
