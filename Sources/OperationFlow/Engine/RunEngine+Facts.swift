extension RunEngine {
  /// What is known about the run's steps and items now.
  var facts: RunFacts { state.withLock { $0.currentFacts } }

  /// The decision of a flow that is refused.
  static func decision(_ refusal: Settlement, flowName: String) -> RunDecision {
    guard case .failed(let error) = refusal else { return .cancelled(.task) }
    return .failed(
      ReportedWork(ofFlow: flowName, error, path: (error as? FlowError)?.path, isRefusal: true))
  }
}
