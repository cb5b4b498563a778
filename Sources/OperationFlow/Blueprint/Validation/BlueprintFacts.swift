/// Facts about a blueprint that are found once for all runs; they hold no work, so reports may keep them.
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
  /// Whether an operation of each factory was made; if not, only those whose class declares something.
  let madeAll: Bool
  /// The steps whose factory has made the same operation as that of an earlier step.
  let repeatedSteps: [Blueprint.StepID]

  static let ofNothing = BlueprintFacts(Blueprint(), markedNames: [], makesAll: true)

  /// Makes operations, so no lock may be held.
  init(_ blueprint: Blueprint, markedNames: Set<String>, makesAll: Bool = false) {
    self.markedNames = markedNames
    madeAll = makesAll
    let found = PortFinder.ports(of: blueprint, makesAll: makesAll)
    ports = found.ports
    repeatedSteps = found.repeatedSteps
    let declaredNames = Self.sensitiveNames(of: blueprint, ports)
    sensitiveNames = declaredNames.isEmpty ? markedNames : markedNames.union(declaredNames)
    paths = blueprint.makePaths(hiding: sensitiveNames)
    claimFacts = blueprint.claimFacts
    neededInputs = QuickCheck.neededInputs(blueprint, ports)
    rightData = neededInputs?.isEmpty == true ? nil : Locked(nil)
  }

  init(_ facts: BlueprintFacts, paths: PathTable) {
    self.paths = paths
    ports = facts.ports
    claimFacts = facts.claimFacts
    sensitiveNames = facts.sensitiveNames
    neededInputs = facts.neededInputs
    markedNames = facts.markedNames
    madeAll = facts.madeAll
    repeatedSteps = facts.repeatedSteps
    rightData = facts.rightData
  }

  package var count: Int { claimFacts.count }

  package func kind(of step: Int) -> FlowStepKind { claimFacts[step].kind }

  package func marks(of step: Int) -> StepMarks { claimFacts[step].marks }

  /// The same facts, with paths that don't show the values of names that a rule redacts.
  func hiding(_ redaction: FlowRedaction) -> BlueprintFacts {
    let shown = paths.hiding(redaction)
    return shown === paths ? self : BlueprintFacts(self, paths: shown)
  }

  /// The condition, which hides its values if those of its key are hidden.
  package func shown(_ condition: FlowCase) -> FlowCase {
    var shown = condition
    if let key = condition.key, sensitiveNames.contains(key) || paths.hides(key) { shown.isSensitive = true }
    return shown
  }

  /// The flow or the parallel branch that ends where no case matches; `nil` for the run.
  func nodeEnded(by cases: Int) -> Int? {
    sequence(first: cases, next: paths.parent).first { node in
      node != cases && (paths.isBranch(node) ? paths.parent(of: node) : node).map(kind) != .cases
    }
  }

  /// Whether the steps are known to have no errors, but for objects that are in several steps; `mayHoldMore` means that more
  /// may be added to the data.
  func areFilled(by data: FlowData, mayHoldMore: Bool) -> Bool {
    guard let rightData, !mayHoldMore else { return neededInputs != nil }
    if let known = data.knownFacts, rightData.withLock({ $0 === known }) { return true }
    guard let neededInputs, QuickCheck.fills(neededInputs, data) else { return false }
    noteRight(data)
    return true
  }

  /// Notes that the steps have no errors with the data.
  func noteRight(_ data: FlowData) {
    if let known = data.knownFacts { rightData?.withLock { $0 = known } }
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

/// Finds in one pass that the steps of a flow have no errors, which is so for most flows; the others are walked.
///
/// In a flow of nothing but operations and closures, a step finds under a name what the last step before it has written, or
/// else the data. So the pass is made once for a flow, and finds what the data of each run has to hold.
struct QuickCheck {
  private var needed: [StepPort] = []
  /// What has been written last under each name.
  private var written = [String: StepPort]()
  /// Whether a step may have written anything.
  private var isOpen = false
  /// Whether a step may be skipped, so that what is read from there on is left to the walk.
  private var mayHaveSkipped = false
  /// What the last step declares, if it would pass again.
  private var last: StepPorts?

  /// The required inputs that only data can fill; `nil` if the steps may have errors whatever the data.
  static func neededInputs(_ blueprint: Blueprint, _ ports: [StepPorts]) -> [StepPort]? {
    guard blueprint.hasOnlyWork, blueprint.blocks.count == 1 else { return nil }
    if blueprint.declaresNothing { return [] }
    var check = QuickCheck()
    for id in blueprint.blocks[Blueprint.root].steps {
      if blueprint.has(.traits), let options = blueprint.steps[id].options {
        if !options.mistakes.isEmpty { return nil }
        if !options.conditions.isEmpty { check.mayHaveSkipped = true }
      }
      guard check.passes(ports[id]) else { return nil }
    }
    return check.needed
  }

  /// Whether there is a value for each input that it accepts.
  static func fills(_ inputs: [StepPort], _ data: FlowData) -> Bool {
    // No value is an optional: it was unwrapped when it was set.
    inputs.allSatisfy { input in data.entries[input.name].map { input.accepts($0.value) } ?? false }
  }

  /// Whether a step has no errors if the data is right, after which it counts as done.
  private mutating func passes(_ ports: StepPorts) -> Bool {
    // The same step again finds what it found, and writes what it wrote.
    if last === ports { return true }
    guard ports.typeWithHiddenPorts == nil, ports.inputs.allSatisfy({ fits($0) }) else { return false }
    if ports.mayWriteAnything {
      written = [:]
      isOpen = true
    }
    for output in ports.outputs { written[output.name] = output }
    last = ports.readsItsOutputs ? nil : ports
    return true
  }

  /// Whether a required input may find a value that it can read; any other can do without.
  private mutating func fits(_ input: StepPort) -> Bool {
    if !input.isRequired || mayHaveSkipped { return !input.isRequired }
    if let output = written[input.name] {
      return output.type.map { !TypeFit.isImpossible($0, as: input.type ?? [Any].self) } ?? true
    }
    if !isOpen { needed.append(input) }
    return true
  }
}
