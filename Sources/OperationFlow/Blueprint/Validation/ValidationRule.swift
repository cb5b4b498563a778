/// One thing that can be wrong with a flow.
protocol ValidationRule: SendableMetatype {
  /// How bad what it finds is; a flow is refused for errors only.
  static var severity: FlowProblem.Severity { get }
  /// What is wrong with the flow as a whole.
  static func problems(in blueprint: Blueprint) -> [FlowProblem]
  /// What is wrong with one step, at its place.
  static func problems(at place: ValidationPlace) -> [FlowProblem]
}

extension ValidationRule {
  static var severity: FlowProblem.Severity { .error }
  static func problems(in blueprint: Blueprint) -> [FlowProblem] { [] }
  static func problems(at place: ValidationPlace) -> [FlowProblem] { [] }
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

  /// What the step is certain to read: a group's items only where it is certain that there are some.
  var inputs: [InputPort] { ports.inputs + (hasItems ? ports.itemInputs : []) }

  /// Whether the array that a group's items come from is known, and not empty.
  var hasItems: Bool {
    guard case .group(let group) = step.kind, let name = group.ports.input?.name else { return false }
    guard let fact = known[name], !fact.isMissingSomewhere, fact.writers.count == 1 else { return false }
    guard case .initial(let value, _) = fact.writers[0], let array = StoredArray(value) else { return false }
    return array.elements.elementCount > 0
  }
}
