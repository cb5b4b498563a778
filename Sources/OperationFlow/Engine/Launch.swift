/// The flow as it was when a run of it was started.
package struct Launch {
  package let recorder: Recorder
  package let flowName: String
  let shared: SharedBlueprint
  package let facts: BlueprintFacts
  package let settings: RunSettings
  let dates: RunDates
  let task: RunTask?
  /// A block that runs before the first step may set data that nothing else knows about.
  private let mayHoldMore: Bool

  package init(
    flowName: String, blueprint: SharedBlueprint, facts: BlueprintFacts, settings: RunSettings, task: RunTask? = nil,
    mayHoldMore: Bool
  ) {
    self.flowName = flowName
    shared = blueprint
    self.facts = facts
    self.settings = settings
    dates = settings.dates
    self.task = task
    self.mayHoldMore = mayHoldMore
    recorder = Recorder(
      observers: settings.observers, recording: settings.recording, redaction: settings.redaction, paths: facts.paths,
      stepEventCount: facts.paths.count * (blueprint.value.declaresNothing ? 2 : 3), dates: dates)
  }

  package var blueprint: Blueprint { shared.value }

  package var drivenClock: (any DrivenClock)? { dates.isStandard ? nil : settings.clock as? any DrivenClock }

  var sensitiveNames: Set<String> { facts.sensitiveNames }

  /// What is known of the steps, with paths that show no value which the flow's records hide.
  package var shownFacts: BlueprintFacts { facts.hiding(settings.redaction) }

  /// Returns the error with which the flow is refused; warnings and problems of steps that have begun stop nothing.
  package func error(data: FlowData, besides begunPaths: Set<String> = []) -> FlowError? {
    let problemsOfLimits = settings.limits.problems
    // Operations that were made beforehand may have been added twice, or have other dependencies than before.
    if problemsOfLimits.isEmpty, blueprint.instanceSteps.isEmpty, facts.repeatedSteps.isEmpty,
      facts.areFilled(by: data, mayHoldMore: mayHoldMore)
    {
      return nil
    }
    var errors = problems(by: facts, data)
    if errors.isEmpty, !mayHoldMore, blueprint.instanceSteps.isEmpty { facts.noteRight(data) }
    errors = problemsOfLimits + errors
    if !begunPaths.isEmpty { errors = errors.filter { !begunPaths.contains($0.path.description) } }
    return errors.isEmpty ? nil : FlowError(errors).located(flow: flowName, step: nil)
  }

  func problems(by facts: BlueprintFacts, _ data: FlowData, errorsOnly: Bool = true) -> [FlowProblem] {
    Validation.problems(
      blueprint, facts.hiding(settings.redaction), data: data, mayHoldMore: mayHoldMore, errorsOnly: errorsOnly)
  }

  /// Reserves the operations that were made beforehand; the error says which one is not free.
  package func reserveOperations() -> FlowError? {
    guard !blueprint.instanceSteps.isEmpty, let step = blueprint.reserveInstances() else { return nil }
    return FlowError.usedTwice(step.name).located(flow: flowName, step: step.name)
  }

  package func makeBucket(_ values: [String: any Sendable], hiding names: Set<String>) -> DataBucket {
    DataBucket(FlowData(values: values), sensitiveNames: names.union(sensitiveNames), recorder: recorder)
  }
}
