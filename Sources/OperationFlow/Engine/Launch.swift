/// The flow as it was when a run of it was started.
package struct Launch {
  package let recorder: Recorder
  package let flowName: String
  let shared: SharedBlueprint
  package let facts: BlueprintFacts
  package let settings: RunSettings
  let dates: RunDates
  let task: RunTask?
  /// True if a block before the first step may set data that validation can't see.
  private let dataMayGrow: Bool

  package init(
    flowName: String, blueprint: SharedBlueprint, facts: BlueprintFacts, settings: RunSettings, task: RunTask? = nil,
    dataMayGrow: Bool
  ) {
    self.flowName = flowName
    shared = blueprint
    self.facts = facts
    self.settings = settings
    dates = RunDates(by: settings.clock)
    self.task = task
    self.dataMayGrow = dataMayGrow
    recorder = Recorder(
      observers: settings.observers, recording: settings.recording, redaction: settings.redaction, paths: facts.paths,
      stepEventCount: facts.paths.count * (blueprint.value.declaresNothing ? 2 : 3), dates: dates)
  }

  package var blueprint: Blueprint { shared.value }

  package var drivenClock: (any DrivenClock)? { dates.isStandard ? nil : settings.clock as? any DrivenClock }

  var sensitiveNames: Set<String> { facts.sensitiveNames }

  /// The facts about the steps, with paths that contain no value that the flow's records hide.
  package var shownFacts: BlueprintFacts { facts.hiding(settings.redaction) }

  /// Returns the error with which the flow is refused; warnings and problems of steps that have begun don't count.
  package func error(data: FlowData, besides begunPaths: Set<String> = []) -> FlowError? {
    var errors = settings.limits.problems
    // Nothing can be wrong with closures that declare nothing.
    if !blueprint.declaresNothing { errors += stepErrors(data) }
    if errors.isEmpty { return nil }
    errors = errors.filter { !begunPaths.contains($0.path.description) }
    return errors.isEmpty ? nil : FlowError(errors).located(flow: flowName, step: nil)
  }

  /// Returns the errors of the steps; it skips the search if data of the same types had none before.
  private func stepErrors(_ data: FlowData) -> [FlowProblem] {
    // Operations that were made beforehand are always checked: they may be added twice, or have new dependencies.
    let accepted = facts.accepted.withLock { $0 }
    let types =
      blueprint.instanceSteps.isEmpty ? DataTypes(data, dataMayGrow: dataMayGrow, before: accepted) : nil
    if let types, types == accepted { return [] }
    let errors = problems(by: facts, data)
    if let types, errors.isEmpty { facts.accepted.withLock { $0 = types } }
    return errors
  }

  func problems(by facts: BlueprintFacts, _ data: FlowData, errorsOnly: Bool = true) -> [FlowProblem] {
    Validation.problems(
      blueprint, facts.hiding(settings.redaction), data: data, dataMayGrow: dataMayGrow, errorsOnly: errorsOnly)
  }

  /// Reserves the operations that were made beforehand; returns an error if one of them isn't free.
  package func reserveOperations() -> FlowError? {
    guard !blueprint.instanceSteps.isEmpty, let step = blueprint.reserveInstances() else { return nil }
    return FlowError.usedTwice(step.name).located(flow: flowName, step: step.name)
  }

  package func makeBucket(_ values: [String: any Sendable], hiding names: Set<String>) -> DataBucket {
    DataBucket(FlowData(values: values), sensitiveNames: names.union(sensitiveNames), recorder: recorder)
  }
}

/// The settings of a flow's runs, besides its steps and its data.
package struct RunSettings: Sendable {
  var observers: [Recorder.Observer] = []
  package var recording = FlowRecording.standard
  package internal(set) var redaction = FlowRedaction.standard
  /// The clock that measures delays and timeouts.
  var clock: any Clock<Duration> = ContinuousClock()
  package var limits = RunLimits()
  package var probe: (any RunProbe)?

  /// The names of the flow's methods that have changed a setting.
  var changedOptions: [String] {
    let options = [
      ("observe(_:)", !observers.isEmpty), ("recording(_:)", recording != .standard),
      ("redaction(_:)", !redaction.isStandard), ("clock(_:)", !(clock is ContinuousClock)),
      ("deadline(_:)", limits.deadline != nil), ("quietWarning(after:)", limits.quietTime != nil),
      ("retryBudget(_:)", limits.retryBudget != .unlimited), ("randomSeed(_:)", limits.seed != nil),
    ]
    return options.filter(\.1).map(\.0)
  }
}

/// The limits of a whole run, and the seed of its random delays.
package struct RunLimits: Sendable {
  package var deadline: Duration?
  /// The time without an event after which there is a warning; `nil` for no warning.
  var quietTime: Duration?
  package var retryBudget = FlowRetryBudget.unlimited
  /// The seed of the random parts of delays; `nil` for a different seed in each run.
  var seed: UInt64?

  package init() {}

  var problems: [FlowProblem] {
    var errors = [retryBudget.error].compactMap(\.self)
    if let time = deadline, time <= .zero {
      errors.append(.invalidTimeout("the run's deadline is \(time)", "Give deadline(_:) more than zero."))
    }
    if let time = quietTime, time <= .zero {
      let problem = "quietWarning(after:) is \(time)"
      errors.append(.invalidTimeout(problem, "Give quietWarning(after:) more than zero."))
    }
    return errors.map { FlowProblem($0) }
  }
}
