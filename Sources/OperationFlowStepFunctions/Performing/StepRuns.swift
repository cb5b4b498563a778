import OperationFlow
import OperationFlowReports

/// Creates runs of single pieces of a flow's work, for another engine that decides the order of the work.
///
/// The blueprint of such a run contains only one step, whose work may be replaced. The runs perform the flow as it was
/// when this value was created.
struct StepRuns: Sendable {
  /// The flow's steps.
  let steps: FlowBlueprint
  /// The names that are sensitive from the start.
  var sensitiveNames: Set<String> { facts.sensitiveNames }

  private let settings: RunSettings
  private let blueprint: Blueprint
  private let facts: BlueprintFacts

  init(_ flow: Flow) {
    let launch = flow.makeLaunch()
    var settings = launch.settings
    settings.recording = .none
    settings.limits = RunLimits()
    self.settings = settings
    (blueprint, facts) = (launch.blueprint, launch.shownFacts)
    steps = FlowBlueprint(name: flow.name, blueprint, facts)
  }

  /// Returns true if the values of a name are shown as `<redacted>`.
  func hides(_ name: String) -> Bool { facts.sensitiveNames.contains(name) || settings.redaction.redacts(name) }

  /// Returns true if the conditions of a step are met; throws the error of a condition.
  func meetsConditions(of step: FlowBlueprint.Step, _ values: [String: any Sendable]) throws -> Bool {
    let bucket = DataBucket(FlowData(values: values), sensitiveNames: facts.sensitiveNames, recorder: nil)
    return try (blueprint.steps[step.id].options?.conditions ?? []).allSatisfy { try $0.isMet(by: bucket) }
  }

  /// Creates a run of one piece of a step's work with these values.
  ///
  /// - Throws: ``FlowError`` if the step has no such work, or its operation is in use.
  func run(
    of step: FlowBlueprint.Step, for task: RunTask, with values: [String: any Sendable]
  ) throws(FlowError) -> StepRun {
    let place = StepPlace()
    guard let stripped = StrippedStep(blueprint.steps[step.id], task, place).step else { throw Self.noWork(step.path) }
    // The step retains its number, to which its path belongs.
    var all = blueprint.steps
    for id in all.indices { all[id].clear() }
    all[step.id] = stripped
    let launch = Launch(
      flowName: steps.name, blueprint: SharedBlueprint(Blueprint(all, [Blueprint.Block(steps: [step.id])])),
      facts: facts, settings: settings, task: task, dataMayGrow: true)
    if let error = launch.reserveOperations() { throw error }
    let bucket = DataBucket(FlowData(values: values), sensitiveNames: facts.sensitiveNames, recorder: launch.recorder)
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
struct StepRun: Sendable {
  let bucket: DataBucket
  fileprivate let launch: Launch
  fileprivate let place: StepPlace

  /// Performs the work; cancelling the surrounding task cancels the work.
  func perform() async -> FlowOutcome {
    let run = FlowRun(RunEngine(launch, bucket, nil, didFinish: nil))
    run.engine?.beginForCaller()
    return await run.outcomeForCaller
  }

  /// The value that an item's closure has returned.
  var output: (any Sendable)? { place.output }
  /// The name under which an item's operation writes its output.
  var outputName: String? { place.outputName }
}
