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
  let path: ValidationPath

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

/// Where a step is; its text is made only where there is a problem to tell of.
struct ValidationPath {
  private var components: [(index: Int?, name: String)] = []
  var depth: Int { components.count }

  /// The names that are written in other branches of cases which are not combined.
  var namesOfOtherBranches: Set<String> = []

  func step(_ index: Int, _ name: String) -> ValidationPath { appending(index, name) }

  func branch(_ name: String) -> ValidationPath { appending(nil, name) }

  /// `2. Cases > target=web > 1. ResizeOp`, counted from 1.
  var text: String {
    components.map { component in
      component.index.map { "\($0 + 1). \(component.name)" } ?? component.name
    }.joined(separator: " > ")
  }

  private func appending(_ index: Int?, _ name: String) -> ValidationPath {
    var path = self
    path.components.append((index, name))
    return path
  }
}
