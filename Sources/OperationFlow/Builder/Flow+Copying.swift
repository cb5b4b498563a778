// What other modules make of a flow, besides its runs.
extension Flow {
  /// The flow's steps as they are now, and what is known about them.
  package var finished: (blueprint: Blueprint, facts: BlueprintFacts) {
    let blueprint = state.withLock { $0.sharedBlueprint() }.value
    return (blueprint, facts(of: blueprint))
  }

  /// The flow's state as it is now, with all of its steps in one blueprint.
  package var finishedState: State {
    state.withLock { state in
      state.builder.finish()
      return state
    }
  }
}

extension Launch {
  /// A run that performs one task of another engine, with what the flow's runs have.
  package init(
    flowName: String, _ blueprint: Blueprint, facts: BlueprintFacts, as state: Flow.State, task: RunTask
  ) {
    self.init(
      flowName: flowName, blueprint: SharedBlueprint(blueprint), facts: facts, observers: state.observers,
      recording: .none, redaction: state.redaction, clock: state.clock, limits: RunLimits(), probe: state.probe,
      task: task, mayHoldMore: true)
  }
}
