/// Facts about a blueprint that are found once and are valid for every run: an object, because each start gets it.
///
/// It holds none of the steps' work, so reports may keep it after a run.
package final class BlueprintFacts: Sendable {
  package let paths: PathTable
  package let ports: [StepPorts]
  private let claimFacts: [ClaimFacts]
  /// The names that are sensitive from the start: those marked as such, and those that steps read or write as such.
  package let sensitiveNames: Set<String>
  /// The required inputs that only data can fill; `nil` if the steps may have errors whatever the data.
  private let neededInputs: [StepPort]?
  /// The last data with which the steps were found to have no errors; `nil` if they have none whatever the data.
  private let rightData: Locked<DataFacts?>?

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
    paths = blueprint.makePaths(hiding: sensitiveNames)
    claimFacts = blueprint.claimFacts
    neededInputs = QuickCheck.neededInputs(blueprint, ports)
    rightData = neededInputs?.isEmpty == true ? nil : Locked(nil)
  }

  init(_ facts: BlueprintFacts, paths: PathTable) {
    (self.paths, ports, claimFacts, sensitiveNames) = (paths, facts.ports, facts.claimFacts, facts.sensitiveNames)
    (neededInputs, markedNames, madeAll) = (facts.neededInputs, facts.markedNames, facts.madeAll)
    (repeatedSteps, isRemembered, rightData) = (facts.repeatedSteps, facts.isRemembered, facts.rightData)
  }

  package var count: Int { claimFacts.count }

  /// The same facts, with paths that don't show the values of names that a rule redacts.
  func hiding(_ redaction: FlowRedaction) -> BlueprintFacts {
    let shown = paths.hiding(redaction)
    return shown === paths ? self : BlueprintFacts(self, paths: shown)
  }

  /// A condition that hides its values if those of its key are hidden.
  @inline(never)
  package func shown(_ condition: FlowCase) -> FlowCase {
    guard let key = condition.key, sensitiveNames.contains(key) || paths.hides(key) else { return condition }
    var shown = condition
    shown.isSensitive = true
    return shown
  }

  package func kind(of step: Int) -> FlowStepKind { claimFacts[step].kind }

  package func marks(of step: Int) -> StepMarks { claimFacts[step].marks }

  /// The flow or the parallel branch that ends where no case matches; `nil` for the run.
  func nodeEnded(by cases: Int) -> Int? {
    sequence(first: cases, next: paths.parent).first { node in
      node != cases && (paths.isBranch(node) ? paths.parent(of: node) : node).map(kind) != .cases
    }
  }

  /// Whether it is certain that the steps have no lasting errors; `mayHoldMore` means that more may be added to the data.
  func areRight(with data: FlowData, mayHoldMore: Bool) -> Bool {
    repeatedSteps.isEmpty && areFilled(by: data, mayHoldMore: mayHoldMore)
  }

  /// Whether the steps have no errors besides those of the flow as a whole.
  func areFilled(by data: FlowData, mayHoldMore: Bool) -> Bool {
    guard let rightData, !mayHoldMore else { return neededInputs != nil }
    if let known = data.knownFacts, rightData.withLock({ $0 === known }) { return true }
    guard let neededInputs, QuickCheck.fills(neededInputs, data) else { return false }
    noteRight(data)
    return true
  }

  /// Notes that the steps have been found to have no errors with the data, so that it need not be found again.
  func noteRight(_ data: FlowData) {
    if let known = data.knownFacts { rightData?.withLock { $0 = known } }
  }

  /// The same facts, found out from nothing but this flow's own operations.
  func ofOwnOperations(_ blueprint: Blueprint) -> BlueprintFacts {
    isRemembered ? BlueprintFacts(blueprint, markedNames: markedNames, remembers: false) : self
  }

  private static func sensitiveNames(of blueprint: Blueprint, _ ports: [StepPorts]) -> Set<String> {
    var names: Set<String> = []
    if blueprint.declaresNothing { return names }
    for ports in ports where ports.isSensitive {
      for port in ports.allInputs + ports.outputs + ports.itemWrites where port.isSensitive { names.insert(port.name) }
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
        names.formUnion(cases.branches.map(\.condition).filter(\.isSensitive).compactMap(\.key))
      case .flow(_, _, let sensitiveNames): names.formUnion(sensitiveNames)
      case .operation, .closure, .group, .parallel: break
      }
    }
    return names
  }
}
