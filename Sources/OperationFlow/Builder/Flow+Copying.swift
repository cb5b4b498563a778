// What other modules make of a flow, besides its runs.
extension Flow {
  /// The steps and what is known of them, with paths that show no value which the flow's records hide.
  package var finished: (blueprint: Blueprint, facts: BlueprintFacts) {
    let (blueprint, facts, settings, _) = launchable()
    return (blueprint.value, facts.hiding(settings.redaction))
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
  package init(flowName: String, _ blueprint: Blueprint, facts: BlueprintFacts, as state: Flow.State, task: RunTask) {
    self.init(
      flowName: flowName, blueprint: SharedBlueprint(blueprint), facts: facts,
      settings: state.settings.changed { ($0.recording, $0.limits) = (.none, RunLimits()) }, task: task,
      mayHoldMore: true)
  }
}
