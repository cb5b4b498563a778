/// Checks a blueprint before it runs: walks every path, keeps what is known of the data, and asks the rules at each step.
///
/// What is nested is walked without recursion, however deep it is.
struct Validation {
  private(set) var problems: [FlowProblem] = []
  private let blueprint: Blueprint
  private let facts: (ports: [StepPorts], paths: PathTable)
  /// The keys that more than one cases step asks for: with them one branch goes with another.
  private let sharedCaseKeys: Set<String>
  private let rules: [any ValidationRule.Type]
  /// What cases would skip; `nil` if no warnings are asked for.
  private let laterSteps: LaterSteps?
  /// What is being walked, the outermost first.
  private var open: [ValidationScope] = []
  /// What is known where a flow ends early, because no case matches: for the run, and for each flow or parallel branch
  /// that is being walked.
  private var exits: [[KnownPaths]] = [[]]
  /// What is known at the end of what was walked last.
  private var end = KnownPaths()

  private static let allRules: [any ValidationRule.Type] = [
    EmptyFlowRule.self, UsedTwiceRule.self, UnmeetableDependencyRule.self, UncertainDependencyRule.self,
    LooseCombineRule.self, InvalidWidthRule.self, InvalidToleranceRule.self, HiddenPortsRule.self,
    MissingInputRule.self, MismatchedInputRule.self, UnusedValueRule.self, ChangedTypeRule.self,
    UnreachableCaseRule.self, GroupKeysRule.self, ItemTypeRule.self, EarlyEndRule.self,
  ]

  /// Checks at once; `data` is what the bucket holds at first, and `mayHoldMore` says that more may be added to it.
  init(_ blueprint: Blueprint, _ facts: BlueprintFacts, data: [String: any Sendable], mayHoldMore: Bool = false) {
    self.init(
      blueprint, facts.whole(blueprint), ports: facts.ports, data: data, mayHoldMore: mayHoldMore, rules: Self.allRules)
  }

  /// Finds the errors alone; `isForGood` leaves out those that may go, or come, without a change of the blueprint.
  static func errors(
    _ whole: ValidationWhole, ports: [StepPorts], data: [String: any Sendable], mayHoldMore: Bool = false,
    isForGood: Bool = false
  ) -> [FlowProblem] {
    let rules = allRules.filter { $0.severity == .error && ($0.holdsForGood || !isForGood) }
    return Validation(
      whole.blueprint, whole, ports: ports, data: data, mayHoldMore: mayHoldMore, rules: rules
    ).problems
  }

  private init(
    _ blueprint: Blueprint, _ whole: ValidationWhole, ports: [StepPorts], data: [String: any Sendable],
    mayHoldMore: Bool, rules: [any ValidationRule.Type]
  ) {
    self.blueprint = blueprint
    self.rules = rules
    facts = (ports, whole.paths)
    laterSteps = rules.contains { $0 == EarlyEndRule.self } ? LaterSteps(blueprint) : nil
    sharedCaseKeys = blueprint.sharedCaseKeys
    for rule in rules { problems += rule.problems(in: whole) }
    var known = KnownData(data)
    if mayHoldMore { known.forgetAll() }
    open = [.block(ValidatedBlock(Blueprint.root, KnownPaths([known]), namesOfOtherBranches: []))]
    while let scope = open.popLast() {
      switch scope {
      case .block(let block): walk(block)
      case .cases(let cases): walk(cases)
      case .parallel(let parallel): walk(parallel)
      }
    }
  }

  // MARK: Blocks

  /// Goes on in a block, up to a step with others in it, or to its end.
  private mutating func walk(_ block: ValidatedBlock) {
    if let step = block.entered {
      block.entered = nil
      if case .flow = blueprint.steps[step].kind {
        block.paths = .joining([takeEnd()] + (exits.popLast() ?? []), keeping: sharedCaseKeys)
      } else {
        block.paths = takeEnd()
      }
      leave(step, &block.paths)
    }
    let steps = blueprint.blocks[block.block].steps
    while block.next < steps.count {
      let id = steps[block.next]
      block.next += 1
      // Most steps declare nothing, and there is nothing to say of them.
      if facts.ports[id].areUndeclared {
        block.paths.update { $0.forgetAll() }
        continue
      }
      // What no path leads to does not run.
      guard let known = block.paths.merged, let path = facts.paths.path(of: id) else { break }
      let place = ValidationPlace(
        step: blueprint.steps[id], ports: facts.ports[id], known: known, path: path,
        namesOfOtherBranches: block.namesOfOtherBranches, laterSteps: laterSteps?[id] ?? LaterSteps.Count())
      for rule in rules { problems += rule.problems(at: place) }
      if let inside = enter(id, path, block) {
        block.entered = id
        open += [.block(block), inside]
        return
      }
      leave(id, &block.paths)
    }
    end = block.takePaths()
  }

  /// Hands out what is known at the end of what was walked last.
  private mutating func takeEnd() -> KnownPaths {
    defer { end = KnownPaths() }
    return end
  }

  /// What lies inside a step; `nil` if nothing does.
  private mutating func enter(_ id: Blueprint.StepID, _ path: FlowPath, _ block: ValidatedBlock)
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

  /// What a step writes is known behind it.
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

  /// Goes on with the next branch of a cases step; where branches meet, only what all of them write is certain.
  private mutating func walk(_ cases: ValidatedCases) {
    if cases.hasBegun { cases.endBranch(takeEnd(), keeping: sharedCaseKeys) }
    if let inner = cases.nextBranch() {
      open += [.cases(cases), .block(inner)]
      return
    }
    if let unmatched = cases.unmatched { exits[exits.count - 1].append(.joining([unmatched], keeping: sharedCaseKeys)) }
    end = .joining(cases.outcomes, keeping: sharedCaseKeys)
  }

  /// Goes on with the next of the branches that run at once; if no case matches in one, it ends, and the others go on.
  private mutating func walk(_ parallel: ValidatedParallel) {
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
    var (seen, shared) = (Set<String>(), Set<String>())
    for case .cases(let cases) in steps.lazy.map(\.kind) {
      for key in Set(cases.branches.compactMap(\.condition.key)) where !seen.insert(key).inserted { shared.insert(key) }
    }
    return shared
  }
}
