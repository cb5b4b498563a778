/// Facts about a blueprint that are found once and are valid for every run: an object, because each start gets it.
package final class BlueprintFacts: Sendable {
  package let ports: [StepPorts]
  package let table: StepTable
  /// The names that are sensitive from the start: those marked as such, and those that steps read or write as such.
  package let sensitiveNames: Set<String>
  /// The required inputs that only data can fill; `nil` if the steps may have errors whatever the data.
  let neededInputs: [InputPort]?

  package var paths: PathTable { table.paths }
  let markedNames: Set<String>
  /// Whether an operation of each factory was created; if not, only those whose class declares something.
  let madeAll: Bool
  /// The steps whose factory creates the same operation as that of an earlier step, among the operations created.
  let repeatedSteps: [Blueprint.StepID]

  static let ofNothing = BlueprintFacts(Blueprint(), markedNames: [], makesAll: true)

  /// Whether some of it was found out by another flow, whose steps have the same factories.
  let isRemembered: Bool

  /// Inspects the steps, perhaps operations created for that, so no lock may be held; `remembers` says to believe others.
  init(_ blueprint: Blueprint, markedNames: Set<String>, makesAll: Bool = false, remembers: Bool = true) {
    self.markedNames = markedNames
    madeAll = makesAll
    var finder = PortFinder(blueprint, makesAll: makesAll, remembers: remembers)
    ports =
      blueprint.declaresNothing
      ? Array(repeating: .undeclared, count: blueprint.steps.count)
      : blueprint.steps.indices.map { finder.ports(of: $0) }
    finder.releaseHeld()
    (isRemembered, repeatedSteps) = (finder.isRemembered, finder.repeatedSteps)
    let declaredNames = Self.sensitiveNames(of: blueprint, ports)
    sensitiveNames = declaredNames.isEmpty ? markedNames : markedNames.union(declaredNames)
    let paths = blueprint.makePaths(hiding: sensitiveNames)
    table = StepTable(blueprint.claimFacts, paths: paths, ports: ports)
    neededInputs = QuickCheck.neededInputs(blueprint, ports)
  }

  /// Whether it is certain that the steps have no lasting errors; `mayHoldMore` means that more may be added to the data.
  func areRight(with data: [String: any Sendable], mayHoldMore: Bool) -> Bool {
    guard let neededInputs, repeatedSteps.isEmpty else { return false }
    return QuickCheck.fills(neededInputs, data, mayHoldMore: mayHoldMore)
  }

  /// The same facts, found out from nothing but this flow's own operations.
  func ofOwnOperations(_ blueprint: Blueprint) -> BlueprintFacts {
    isRemembered ? BlueprintFacts(blueprint, markedNames: markedNames, remembers: false) : self
  }

  private static func sensitiveNames(of blueprint: Blueprint, _ ports: [StepPorts]) -> Set<String> {
    var names: Set<String> = []
    if blueprint.declaresNothing { return names }
    for ports in ports where ports.isSensitive {
      for input in ports.allInputs where input.isSensitive { names.insert(input.name) }
      for output in ports.outputs + ports.itemWrites where output.isSensitive { names.insert(output.name) }
      // The items and outputs are also the elements of the group's arrays.
      if let item = ports.item, item.isSensitive, let items = ports.inputs.first { names.insert(items.name) }
      if let output = ports.itemOutput, output.isSensitive, let outputs = ports.outputs.first {
        names.insert(outputs.name)
      }
    }
    if blueprint.hasOnlyWork { return names }
    for step in blueprint.steps.indices {
      switch blueprint.steps[step].kind {
      case .cases(let cases):
        for branch in cases.branches where branch.condition.isSensitive {
          if let key = branch.condition.key { names.insert(key) }
        }
      case .flow(_, _, let sensitiveNames): names.formUnion(sensitiveNames)
      case .operation, .closure, .group, .parallel: break
      }
    }
    return names
  }
}
