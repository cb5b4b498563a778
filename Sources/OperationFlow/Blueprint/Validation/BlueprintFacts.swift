/// What is found out about a blueprint once, and holds for every run of it.
struct BlueprintFacts: Sendable {
  let ports: [StepPorts]
  let table: StepTable
  /// The names that are sensitive from the start: those that were marked, and those that steps read or write as such.
  let sensitiveNames: Set<String>
  /// The errors, where they are the same whatever the bucket holds at first; else `nil`.
  let errors: [FlowProblem]?

  var paths: PathTable { table.paths }
  /// The names that the flow itself has marked as sensitive.
  let markedNames: Set<String>

  /// Looks at the steps; operations may be made to see what they declare, so no lock may be held.
  init(_ blueprint: Blueprint, markedNames: Set<String>) {
    self.markedNames = markedNames
    ports = blueprint.steps.map(StepPorts.init)
    sensitiveNames = markedNames.union(Self.sensitiveNames(of: blueprint, ports))
    let paths = blueprint.makePaths(hiding: sensitiveNames)
    table = StepTable(blueprint, paths: paths)
    let areAlike = zip(blueprint.steps, ports).allSatisfy { $0.ignoresData && $1.inputs.isEmpty }
    errors = areAlike ? Validation(blueprint, ports: ports, paths: paths, data: [:], errorsOnly: true).problems : nil
  }

  private static func sensitiveNames(of blueprint: Blueprint, _ ports: [StepPorts]) -> Set<String> {
    var names: Set<String> = []
    for (step, ports) in zip(blueprint.steps.indices, ports) where !ports.areUndeclared {
      names.formUnion((ports.inputs + ports.itemInputs).filter(\.isSensitive).map(\.name))
      names.formUnion((ports.outputs + ports.itemWrites).filter(\.isSensitive).map(\.name))
      // What an item is, and what it leaves, stands in the group's arrays.
      if ports.item?.isSensitive == true { names.formUnion(ports.inputs.prefix(1).map(\.name)) }
      if ports.itemOutput?.isSensitive == true { names.formUnion(ports.outputs.prefix(1).map(\.name)) }
      switch blueprint.steps[step].kind {
      case .cases(let cases):
        names.formUnion(cases.branches.map(\.condition).filter(\.isSensitive).compactMap(\.key))
      case .flow(_, _, let sensitiveNames): names.formUnion(sensitiveNames)
      case .operation, .closure, .group, .parallel: break
      }
    }
    return names
  }
}

extension Blueprint.Step {
  /// Whether the data says nothing about how the flow goes on at this step, as far as the blueprint knows.
  fileprivate var ignoresData: Bool {
    switch kind {
    case .operation, .closure: true
    case .group, .cases, .flow, .parallel: false
    }
  }
}
