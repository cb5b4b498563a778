/// Checks a blueprint before it runs: follows every path, tracks what is known, and asks the rules at each step.
///
/// Nested steps are walked without recursion, no matter how deep they are.
final class Validation {
  private(set) var problems: [FlowProblem] = []
  private let blueprint: Blueprint
  private let facts: (ports: [StepPorts], paths: PathTable)
  /// The keys that more than one step compares, in cases or in a condition, so that they depend on each other.
  private let sharedCaseKeys: Set<String>
  private let rules: [ValidationRule]
  /// The steps that cases would skip; `nil` if no warnings are needed.
  private let laterSteps: LaterSteps?
  /// The scopes that are being walked, outermost first.
  private var open: [ValidationScope] = []
  /// What is known at the places where a flow ends early because no case matches: for the run, and for each flow or
  /// parallel branch that is being walked.
  private var exits: [[KnownPaths]] = [[]]
  /// What is known at the end of the scope that was walked last.
  private var end = KnownPaths()

  private static let allRules = [
    ValidationRule(.warning, whole: emptyFlow), ValidationRule(.error, whole: usedTwice),
    // Dependencies can be added and removed until the flow starts.
    ValidationRule(.error, holdsForGood: false, whole: unmeetableDependency),
    ValidationRule(.warning, holdsForGood: false, whole: uncertainDependency),
    ValidationRule(.warning, whole: looseCombine), ValidationRule(.error, whole: invalidTrait),
    ValidationRule(.error, whole: emptyParallel),
    ValidationRule(.error, whole: repeatedBranch), ValidationRule(.warning, whole: concurrentWrite),
    ValidationRule(.error, whole: emptyBranch), ValidationRule(.error, place: invalidWidth),
    ValidationRule(.error, place: invalidTolerance), ValidationRule(.error, place: hiddenPorts),
    ValidationRule(.error, place: missingInput), ValidationRule(.error, place: mismatchedInput),
    ValidationRule(.warning, place: unusedValue), ValidationRule(.warning, place: changedType),
    ValidationRule(.warning, place: unreachableCase), ValidationRule(.warning, place: groupKeys),
    ValidationRule(.error, place: itemType), ValidationRule(.warning, place: earlyEnd),
    ValidationRule(.warning, place: unmetCondition),
  ]
  private static let errorRules = allRules.filter { $0.severity == .error }
  private static let lastingErrorRules = errorRules.filter { $0.holdsForGood }

  /// Checks the whole blueprint; `data` is the initial data, and `mayHoldMore` means that more may be added to it.
  convenience init(
    _ blueprint: Blueprint, _ facts: BlueprintFacts, data: [String: any Sendable], mayHoldMore: Bool = false
  ) {
    self.init(
      blueprint, facts.whole(blueprint), ports: facts.ports, data: data, mayHoldMore: mayHoldMore, rules: Self.allRules)
  }

  /// Finds only the errors: if steps that are nothing but work have none, two rules for the flow as a whole remain.
  ///
  /// `isForGood` leaves out those that may come or go without a change of the blueprint.
  static func errors(
    _ whole: ValidationWhole, ports: [StepPorts], data: [String: any Sendable], mayHoldMore: Bool = false,
    isForGood: Bool = false
  ) -> [FlowProblem] {
    if let inputs = whole.neededInputs, QuickCheck.fills(inputs, data, mayHoldMore: mayHoldMore) {
      return usedTwice(in: whole) + (isForGood ? [] : unmeetableDependency(in: whole))
    }
    return Validation(
      whole.blueprint, whole, ports: ports, data: data, mayHoldMore: mayHoldMore,
      rules: isForGood ? lastingErrorRules : errorRules
    ).problems
  }

  private init(
    _ blueprint: Blueprint, _ whole: ValidationWhole, ports: [StepPorts], data: [String: any Sendable],
    mayHoldMore: Bool, rules: [ValidationRule]
  ) {
    self.blueprint = blueprint
    self.rules = rules
    facts = (ports, whole.paths)
    laterSteps = rules.contains { $0.severity == .warning } ? LaterSteps(blueprint) : nil
    sharedCaseKeys = blueprint.sharedCaseKeys
    for rule in rules { problems += rule.problemsInWhole(whole) }
    var known = KnownData(data)
    if mayHoldMore { known.forgetAll() }
    open = [.block(ValidatedBlock(Blueprint.root, KnownPaths([known]), namesOfOtherBranches: []))]
    if blueprint.hasAlways {
      // What runs at the end may find anything, because the run may end anywhere.
      known.forgetAll()
      let always = blueprint.blocks.flatMap(\.always).map { wrapper in
        ValidationScope.block(ValidatedBlock(wrapper, KnownPaths([known]), namesOfOtherBranches: []))
      }
      open = always.reversed() + open
    }
    while let scope = open.popLast() {
      switch scope {
      case .block(let block): walk(block)
      case .cases(let cases): walk(cases)
      case .parallel(let parallel): walk(parallel)
      }
    }
  }

  // MARK: Blocks

  /// Continues in a block, up to a step that contains others, or to its end.
  private func walk(_ block: ValidatedBlock) {
    if let step = block.entered {
      block.entered = nil
      if case .flow = blueprint.steps[step].kind {
        block.paths = .joining([takeEnd()] + (exits.popLast() ?? []), keeping: sharedCaseKeys)
      } else {
        block.paths = takeEnd()
      }
      leave(step, block)
    }
    let steps = blueprint.blocks[block.block].steps
    var hasForgotten = false
    while block.next < steps.count {
      let id = steps[block.next]
      block.next += 1
      // Most steps declare nothing, so there is nothing to check.
      if facts.ports[id].areUndeclared {
        if !hasForgotten { block.paths.update { $0.forgetAll() } }
        hasForgotten = true
        continue
      }
      hasForgotten = false
      // Steps that no path leads to don't run.
      guard let before = block.paths.merged, let path = facts.paths.path(of: id) else { break }
      let known = takeConditions(of: id, block) ?? before
      let place = ValidationPlace(
        step: blueprint.steps[id], ports: facts.ports[id], known: known, knownBefore: before, path: path,
        namesOfOtherBranches: block.namesOfOtherBranches, laterSteps: laterSteps?[id] ?? LaterSteps.Count())
      for rule in rules { problems += rule.problemsAtPlace(place) }
      if let inside = enter(id, path, block) {
        block.entered = id
        open += [.block(block), inside]
        return
      }
      leave(id, block)
    }
    end = block.takePaths()
  }

  /// Continues on the paths on which a step's conditions are met, and returns what is known then; `nil` if it has none.
  private func takeConditions(of id: Blueprint.StepID, _ block: ValidatedBlock) -> KnownData? {
    let conditions = blueprint.steps[id].options.conditions
    guard !conditions.isEmpty else { return nil }
    var skipping = block.paths
    skipping.skip(conditions, keeping: sharedCaseKeys)
    block.pathsOfSkipping = skipping
    let before = block.paths.merged
    block.paths.take(conditions)
    if let known = block.paths.merged { return known }
    var unreached = before
    unreached?.doubtAll()
    return unreached
  }

  /// Returns what is known at the end of the scope that was walked last.
  private func takeEnd() -> KnownPaths {
    defer { end = KnownPaths() }
    return end
  }

  /// The scope inside a step; `nil` if there is none.
  private func enter(_ id: Blueprint.StepID, _ path: FlowPath, _ block: ValidatedBlock)
    -> ValidationScope?
  {
    switch blueprint.steps[id].kind {
    case .operation, .closure, .group: return nil
    case .flow(let inner, let data, _):
      for (name, value) in data { block.paths.update { $0.ensure(name, value, flow: path) } }
      exits.append([])
      return .block(ValidatedBlock(inner, block.takePaths(), namesOfOtherBranches: block.namesOfOtherBranches))
    case .cases(let cases):
      return .cases(ValidatedCases(cases, block.takePaths(), sharedCaseKeys, block.namesOfOtherBranches))
    case .parallel(let branches):
      return .parallel(ValidatedParallel(branches, block.takePaths(), block.namesOfOtherBranches))
    }
  }

  /// Records what a step writes, which is certain after it unless a condition may have skipped it.
  private func leave(_ id: Blueprint.StepID, _ block: ValidatedBlock) {
    leave(id, &block.paths)
    guard let skipping = block.pathsOfSkipping.take() else { return }
    // Nothing tells whether a closure's condition can ever be met here, so nothing that the step writes is held against
    // a later one.
    if blueprint.steps[id].options.conditions.contains(where: { $0.flowCase == nil }) {
      block.paths.update { $0.doubtAll() }
    }
    block.paths = .joining([skipping, block.paths], keeping: sharedCaseKeys)
  }

  /// Records what a step writes, which is known after it.
  private func leave(_ id: Blueprint.StepID, _ paths: inout KnownPaths) {
    let ports = facts.ports[id]
    guard ports.mayWriteAnything || !ports.outputs.isEmpty || !ports.itemWrites.isEmpty,
      let path = facts.paths.path(of: id)
    else { return }
    paths.update { known in
      if ports.mayWriteAnything { known.forgetAll() }
      for output in ports.outputs { known.write(output.name, by: .step(path: path, type: output.type)) }
      for output in ports.itemWrites { known.mayWrite(output.name, by: .step(path: path, type: output.type)) }
    }
  }

  // MARK: Branches

  /// Continues with the next branch of a cases step; after the branches, only what all of them write is certain.
  private func walk(_ cases: ValidatedCases) {
    if cases.hasBegun { cases.endBranch(takeEnd(), keeping: sharedCaseKeys) }
    if let inner = cases.nextBranch() {
      open += [.cases(cases), .block(inner)]
      return
    }
    if let unmatched = cases.unmatched { exits[exits.count - 1].append(.joining([unmatched], keeping: sharedCaseKeys)) }
    end = .joining(cases.outcomes, keeping: sharedCaseKeys)
  }

  /// Continues with the next parallel branch; if no case matches in one, it ends, and the others continue.
  private func walk(_ parallel: ValidatedParallel) {
    if parallel.next > 0 {
      parallel.ends.append(.joining([takeEnd()] + (exits.popLast() ?? []), keeping: sharedCaseKeys))
    }
    guard parallel.next < parallel.branches.count else {
      end = .concurrently(parallel.start, parallel.ends)
      return
    }
    let block = parallel.branches[parallel.next].block
    parallel.next += 1
    exits.append([])
    open += [
      .parallel(parallel),
      .block(ValidatedBlock(block, parallel.start, namesOfOtherBranches: parallel.namesOfOtherBranches)),
    ]
  }
}

extension Blueprint {
  fileprivate var sharedCaseKeys: Set<String> {
    // Without conditions, only steps that contain others compare keys.
    guard hasConditions || !hasOnlyWork else { return [] }
    var (seen, shared) = (Set<String>(), Set<String>())
    for step in steps {
      var keys = Set(hasConditions ? step.options.conditions.compactMap { $0.flowCase?.key } : [])
      if case .cases(let cases) = step.kind { keys.formUnion(cases.branches.compactMap(\.condition.key)) }
      for key in keys where !seen.insert(key).inserted { shared.insert(key) }
    }
    return shared
  }
}
