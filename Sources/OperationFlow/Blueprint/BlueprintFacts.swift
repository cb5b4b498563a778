/// Facts about a blueprint that are found once for all runs; they contain no work, so reports can store them.
package final class BlueprintFacts: Sendable {
  package let paths: PathTable
  package let ports: [StepPorts]
  private let stepProperties: [StepProperties]
  /// The names that are sensitive from the start: those that were marked, and those that steps declare as sensitive.
  package let sensitiveNames: Set<String>
  /// The names and types of the last data with which the check of the steps found no errors.
  let accepted: Locked<DataTypes?>
  let markedNames: Set<String>
  /// True if an operation of each factory was made; otherwise only factories whose class may declare ports were called.
  let madeAll: Bool
  /// The steps whose factory returned an operation object that another step also has.
  let repeatedSteps: [Blueprint.StepID]

  static let ofNothing = BlueprintFacts(Blueprint(), markedNames: [], makesAll: true)

  /// Finds the facts; this creates operations, so no lock may be held.
  init(_ blueprint: Blueprint, markedNames: Set<String>, makesAll: Bool = false) {
    self.markedNames = markedNames
    madeAll = makesAll
    let found = PortFinder.ports(of: blueprint, makesAll: makesAll)
    ports = found.ports
    repeatedSteps = found.repeatedSteps
    let declaredNames = Self.sensitiveNames(of: blueprint, ports)
    sensitiveNames = declaredNames.isEmpty ? markedNames : markedNames.union(declaredNames)
    paths = blueprint.makePaths(hiding: sensitiveNames)
    stepProperties = blueprint.stepProperties
    accepted = Locked(nil)
  }

  init(_ facts: BlueprintFacts, paths: PathTable) {
    self.paths = paths
    ports = facts.ports
    stepProperties = facts.stepProperties
    sensitiveNames = facts.sensitiveNames
    markedNames = facts.markedNames
    madeAll = facts.madeAll
    repeatedSteps = facts.repeatedSteps
    accepted = facts.accepted
  }

  package var count: Int { stepProperties.count }

  package func kind(of step: Int) -> FlowStepKind { stepProperties[step].kind }

  package func marks(of step: Int) -> StepMarks { stepProperties[step].marks }

  /// Returns the facts with paths that don't show values of names that the rule redacts.
  func hiding(_ redaction: FlowRedaction) -> BlueprintFacts {
    let shown = paths.hiding(redaction)
    return shown === paths ? self : BlueprintFacts(self, paths: shown)
  }

  /// Returns the condition, without its values if those of its key are hidden.
  package func shown(_ condition: FlowCase) -> FlowCase {
    var shown = condition
    if let key = condition.key, sensitiveNames.contains(key) || paths.hides(key) { shown.isSensitive = true }
    return shown
  }

  /// Returns the flow or the parallel branch that ends if no case matches; `nil` for the whole run.
  func nodeEnded(by cases: Int) -> Int? {
    sequence(first: cases, next: paths.parent).first { node in
      node != cases && (paths.isBranch(node) ? paths.parent(of: node) : node).map(kind) != .cases
    }
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
      if case .cases(let cases) = blueprint.steps[step].kind {
        names.formUnion(cases.branches.map(\.condition).filter(\.isSensitive).compactMap(\.key))
      } else if case .flow(_, _, let sensitiveNames) = blueprint.steps[step].kind {
        names.formUnion(sensitiveNames)
      }
    }
    return names
  }
}

/// The names and types of a run's data, and which arrays are empty: all that a check depends on.
struct DataTypes: Sendable, Equatable {
  private struct Kind: Equatable {
    let type: ObjectIdentifier
    /// For an array, true if it has no elements, so that its group has no items.
    let isEmpty: Bool?
  }

  private var kinds: [String: Kind] = [:]
  private let dataMayGrow: Bool

  /// Collects the types, and reuses those of an earlier run; returns `nil` if the check depends on a value itself.
  init?(_ data: FlowData, dataMayGrow: Bool, before: DataTypes?) {
    self.dataMayGrow = dataMayGrow
    if dataMayGrow { return }
    for (name, entry) in data.entries {
      let type: Any.Type = Swift.type(of: entry.value as Any)
      let plain = Kind(type: ObjectIdentifier(type), isEmpty: nil)
      if before?.kinds[name] == plain {
        kinds[name] = plain
        continue
      }
      let array = entry.value as? any ArrayElements
      guard !(entry.value is any UndecodedValue), TypeFit.isDecidedByType(array?.elementType ?? type) else {
        return nil
      }
      kinds[name] = Kind(type: ObjectIdentifier(type), isEmpty: array.map { $0.elementCount == 0 })
    }
  }
}
