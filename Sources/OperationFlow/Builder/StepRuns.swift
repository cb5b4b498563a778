/// Makes runs of single pieces of a flow's work, for an engine elsewhere that decides what runs when.
///
/// It is in the core, and not with the export of flows, because such a run is made of what only the core knows: a blueprint
/// that has nothing but one step, with other work in that step's place. It does what the flow contained when it was made.
package struct StepRuns: Sendable {
  /// The flow's steps.
  package let steps: FlowBlueprint
  /// The names that are sensitive from the start.
  package var sensitiveNames: Set<String> { facts.sensitiveNames }

  private let state: Flow.State
  private let blueprint: Blueprint
  private let facts: BlueprintFacts

  package init(_ flow: Flow) {
    var state = flow.state.withLock { state in
      state.builder.finish()
      return state
    }
    (state.run, state.willStart, state.didFinish) = (nil, nil, nil)
    self.state = state
    blueprint = state.builder.blueprint
    facts = flow.facts(of: blueprint)
    steps = FlowBlueprint(name: flow.name, blueprint, facts)
  }

  /// Returns true if the values of a name are shown as `<redacted>`.
  package func hides(_ name: String) -> Bool { facts.sensitiveNames.contains(name) || state.redaction.redacts(name) }

  /// Returns true if the conditions of a step are met; throws what a condition throws.
  package func meetsConditions(of step: FlowBlueprint.Step, _ values: [String: any Sendable]) throws -> Bool {
    let bucket = DataBucket(values, sensitiveNames: facts.sensitiveNames, recorder: nil)
    return try blueprint.steps[step.id].options.conditions.allSatisfy { try $0.isMet(by: bucket) }
  }

  /// A run of one piece of a step's work with these values.
  ///
  /// - Throws: ``FlowError`` if the step does no such work, or its operation isn't free.
  package func run(
    of step: FlowBlueprint.Step, for task: RunTask, with values: [String: any Sendable]
  ) throws(FlowError) -> StepRun {
    let place = StepPlace()
    guard let stripped = StrippedStep(blueprint.steps[step.id], task, place).step else { throw Self.noWork(step.path) }
    var alone = blueprint
    alone.replace(step.id, with: stripped)
    alone.keepOnly(step.id)
    let launch = Launch(
      flowName: steps.name, blueprint: SharedBlueprint(alone), facts: facts, observers: state.observers,
      recording: .none, redaction: state.redaction, clock: state.clock, limits: RunLimits(), probe: state.probe,
      task: task, mayHoldMore: true)
    if let error = launch.reserveOperations() { throw error }
    let bucket = DataBucket(values, sensitiveNames: facts.sensitiveNames, recorder: launch.recorder)
    place.bucket = bucket
    return StepRun(bucket: bucket, launch: launch, place: place)
  }

  private static func noWork(_ path: FlowPath) -> FlowError {
    FlowError(
      .notImplemented, "the step at \(path) has nothing of this kind to do",
      remedy: "Let the worker have the flow that was exported, or export the flow that it has.")
  }
}

/// A run of one piece of a step's work, which hasn't begun.
package struct StepRun: Sendable {
  package let bucket: DataBucket
  fileprivate let launch: Launch
  fileprivate let place: StepPlace

  /// Performs the work; cancelling the task that waits for its end cancels it.
  package func perform() async -> FlowOutcome {
    let run = FlowRun(launch.engine(bucket, nil, didFinish: nil))
    run.begin()
    return await run.outcomeOrCancel
  }

  /// The value that an item's closure has returned.
  package var output: (any Sendable)? { place.output }
  /// The name under which an item's operation writes its output.
  package var outputName: String? { place.outputName }
}
