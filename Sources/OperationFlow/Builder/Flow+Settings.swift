// What an engine elsewhere has to know of a flow, besides its blueprint.

/// The settings of a flow that concern its runs as a whole.
package struct FlowSettings: Sendable {
  /// The longest time that a run may take.
  package let deadline: Duration?
  /// True if the retries of a run are counted together.
  package let hasRetryBudget: Bool
  /// The rule for names whose values records hide.
  package let redaction: FlowRedaction
}

extension Flow {
  package var settings: FlowSettings {
    state.withLock {
      FlowSettings(
        deadline: $0.limits.deadline, hasRetryBudget: $0.limits.retryBudget != .unlimited, redaction: $0.redaction)
    }
  }

  /// The values that a run begins with, and the names that are sensitive from the start.
  package func startingValues(
    with data: [String: any Sendable] = [:]
  ) -> (values: [String: any Sendable], sensitiveNames: Set<String>) {
    let starting = startingData.merging(data)
    let blueprint = state.withLock { $0.finishedBlueprint() }
    return (starting.values, starting.sensitiveNames.union(facts(of: blueprint).sensitiveNames))
  }
}
