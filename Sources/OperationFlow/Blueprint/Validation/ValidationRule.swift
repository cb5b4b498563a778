/// One thing that can be wrong with a flow.
protocol ValidationRule: SendableMetatype {
  /// How bad what it finds is; a flow is refused for errors only.
  static var severity: FlowProblem.Severity { get }
  /// Whether what it finds in a blueprint stays so; else it is looked for at each start.
  static var holdsForGood: Bool { get }
  /// What is wrong with the flow as a whole.
  static func problems(in whole: ValidationWhole) -> [FlowProblem]
  /// What is wrong with one step, at its place.
  static func problems(at place: ValidationPlace) -> [FlowProblem]
}

extension ValidationRule {
  static var severity: FlowProblem.Severity { .error }
  static var holdsForGood: Bool { true }
  static func problems(in whole: ValidationWhole) -> [FlowProblem] { [] }
  static func problems(at place: ValidationPlace) -> [FlowProblem] { [] }
}

/// A flow as a whole.
struct ValidationWhole {
  let blueprint: Blueprint
  let paths: PathTable
  /// The steps whose factory makes the same operation as that of a step before.
  let repeatedSteps: [Blueprint.StepID]

  func path(of step: Blueprint.StepID) -> FlowPath { paths.path(of: step) ?? FlowPath(blueprint.steps[step].name) }
}

/// A step with what is known when it is reached.
struct ValidationPlace {
  let step: Blueprint.Step
  let ports: StepPorts
  let known: KnownData
  let path: FlowPath
  /// The names that are written in other branches of cases which are not combined.
  let namesOfOtherBranches: Set<String>
  /// What cases would skip without a word.
  let laterSteps: LaterSteps.Count

  /// What the step is certain to read: a group's items only if it is certain that there are some.
  var inputs: [InputPort] { ports.inputs + (hasItems ? ports.itemInputs : []) }

  /// Whether the array that a group's items come from is known, and not empty.
  var hasItems: Bool {
    guard case .group(let group) = step.kind, let name = group.ports.input?.name else { return false }
    guard let fact = known[name], !fact.isMissingSomewhere, fact.writers.count == 1 else { return false }
    guard case .initial(let value, _) = fact.writers[0], let array = StoredArray(value) else { return false }
    return array.elements.elementCount > 0
  }
}
