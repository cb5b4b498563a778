import OperationFlow

extension Flow {
  /// The time limit of a run, a flag for a retry budget, and the rule for the names whose values records hide.
  var settings: (deadline: Duration?, hasRetryBudget: Bool, redaction: FlowRedaction) {
    let settings = state.withLock { $0.settings }
    return (settings.limits.deadline, settings.limits.retryBudget != .unlimited, settings.redaction)
  }

  /// Returns the values that a run begins with, and the names that are sensitive from the start.
  func startingValues(
    with data: [String: any Sendable] = [:]
  ) -> (values: [String: any Sendable], sensitiveNames: Set<String>) {
    let starting = startingData.merging(data)
    return (starting.values, starting.sensitiveNames.union(makeLaunch().facts.sensitiveNames))
  }
}
