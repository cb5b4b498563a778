/// A rule that finds one kind of mistake in a flow.
struct ValidationRule: Sendable {
  /// The severity of its problems; a flow is refused only for errors.
  let severity: FlowProblem.Severity
  /// Whether its problems depend on the blueprint alone; if not, it is checked at each start.
  let holdsForGood: Bool
  /// The problems of the flow as a whole.
  let problemsInWhole: @Sendable (ValidationWhole) -> [FlowProblem]
  /// The problems of one step, at its place.
  let problemsAtPlace: @Sendable (ValidationPlace) -> [FlowProblem]

  init(
    _ severity: FlowProblem.Severity, holdsForGood: Bool = true,
    whole: @escaping @Sendable (ValidationWhole) -> [FlowProblem] = { _ in [] },
    place: @escaping @Sendable (ValidationPlace) -> [FlowProblem] = { _ in [] }
  ) {
    (self.severity, self.holdsForGood) = (severity, holdsForGood)
    (problemsInWhole, problemsAtPlace) = (whole, place)
  }
}

/// A flow as a whole.
struct ValidationWhole {
  let blueprint: Blueprint
  let paths: PathTable
  /// The steps whose factory creates the same operation as that of an earlier step.
  let repeatedSteps: [Blueprint.StepID]
  let ports: [StepPorts]
  /// The required inputs that only data can fill; `nil` if the steps may have errors whatever the data.
  let neededInputs: [InputPort]?

  /// The steps with options that few steps have: they are checked even if nothing is known about their data.
  var specialSteps: [(step: Blueprint.StepID, options: SpecialOptions)] {
    guard blueprint.hasSpecialSteps else { return [] }
    return blueprint.steps.indices.compactMap { step in
      blueprint.steps[step].options.special.map { (step, $0) }
    }
  }

  func path(of step: Blueprint.StepID) -> FlowPath { paths.path(of: step) ?? FlowPath(blueprint.steps[step].name) }
}

/// A step, with what is known when it is reached.
struct ValidationPlace {
  let step: Blueprint.Step
  let ports: StepPorts
  let known: KnownData
  /// What is known even if the step's conditions are not met.
  let knownBefore: KnownData
  let path: FlowPath
  /// The names that are written in other branches of cases that aren't combined.
  let namesOfOtherBranches: Set<String>
  /// The numbers of steps that cases would silently skip.
  let laterSteps: LaterSteps.Count

  /// The values that the step is certain to read: a group's items read only if there certainly are some.
  var inputs: [InputPort] {
    // Most steps aren't groups, and their inputs need no new array.
    ports.itemInputs.isEmpty || !hasItems ? ports.inputs : ports.inputs + ports.itemInputs
  }

  /// Whether the array of a group's items is known and not empty.
  var hasItems: Bool {
    guard case .group(let group) = step.kind, let name = group.ports.input?.name else { return false }
    guard let fact = known[name], !fact.isMissingSomewhere, fact.writers.count == 1 else { return false }
    guard case .initial(let value, _) = fact.writers[0], let array = StoredArray(value) else { return false }
    return array.elements.elementCount > 0
  }
}
