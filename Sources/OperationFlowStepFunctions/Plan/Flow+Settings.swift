import OperationFlow

extension Flow {
  /// The longest time that a run may take, whether the retries of a run are counted together, and the rule for names whose
  /// values records hide.
  var settings: (deadline: Duration?, hasRetryBudget: Bool, redaction: FlowRedaction) {
    let settings = state.withLock { $0.settings }
    return (settings.limits.deadline, settings.limits.retryBudget != .unlimited, settings.redaction)
  }

  /// The values that a run begins with, and the names that are sensitive from the start.
  func startingValues(
    with data: [String: any Sendable] = [:]
  ) -> (values: [String: any Sendable], sensitiveNames: Set<String>) {
    let starting = startingData.merging(data)
    return (starting.values, starting.sensitiveNames.union(makeLaunch().facts.sensitiveNames))
  }
}
