/// Checks a blueprint before it runs: walks every path, keeps what is known of the data, and asks the rules at each step.
struct Validation {
  private(set) var problems: [FlowProblem] = []
  private let blueprint: Blueprint
  private let ports: [StepPorts]
  private let paths: PathTable
  /// The keys that more than one cases step asks for: with them one branch goes with another.
  private let sharedCaseKeys: Set<String>
  private let rules: [any ValidationRule.Type]
  /// What cases would skip; `nil` if no warnings are asked for.
  private let laterSteps: LaterSteps?

  private static let maximumDepth = 100
  private static let allRules: [any ValidationRule.Type] = [
    EmptyFlowRule.self, UsedTwiceRule.self, LooseCombineRule.self, InvalidWidthRule.self, MissingInputRule.self,
    MismatchedInputRule.self, ChangedTypeRule.self, UnreachableCaseRule.self, GroupKeysRule.self,
    ItemTypeRule.self, EarlyEndRule.self,
  ]

  /// Checks at once; `data` is what the bucket holds at first, and `mayHoldMore` says that somebody may still add to it.
  init(
    _ blueprint: Blueprint, ports: [StepPorts], paths: PathTable, data: [String: any Sendable],
    mayHoldMore: Bool = false,
    errorsOnly: Bool = false
  ) {
    self.blueprint = blueprint
    self.ports = ports
    self.paths = paths
    rules = Self.allRules.filter { !errorsOnly || $0.severity == .error }
    laterSteps = errorsOnly ? nil : LaterSteps(blueprint)
    sharedCaseKeys = blueprint.sharedCaseKeys
    for rule in rules { problems += rule.problems(in: blueprint) }
    var known = KnownData(data)
    if mayHoldMore { known.forgetAll() }
    var exits: [KnownPaths] = []
    _ = walk(Blueprint.root, KnownPaths([known]), Surroundings(), &exits)
  }

  /// Walks the steps of a block, and returns what is known after the last.
  ///
  /// `exits` takes what is known where the flow ends before that, because no case matches.
  private mutating func walk(
    _ block: Blueprint.BlockID, _ known: KnownPaths, _ surroundings: Surroundings, _ exits: inout [KnownPaths]
  ) -> KnownPaths {
    var paths = known
    // The walk recurses into what is nested; nobody nests so deep by hand, and then nothing is assumed.
    guard surroundings.depth < Self.maximumDepth else {
      paths.update { $0.forgetAll() }
      return paths
    }
    for id in blueprint.blocks[block].steps {
      let ports = ports[id]
      // Most steps declare nothing, and there is nothing to say of them.
      if ports.areUndeclared {
        paths.update { $0.forgetAll() }
        continue
      }
      // What no path leads to does not run.
      guard let known = paths.merged, let path = self.paths.path(of: id) else { return paths }
      let step = blueprint.steps[id]
      let place = ValidationPlace(
        step: step, ports: ports, known: known, path: path,
        namesOfOtherBranches: surroundings.namesOfOtherBranches, laterSteps: laterSteps?[id] ?? LaterSteps.Count())
      for rule in rules { problems += rule.problems(at: place) }
      paths = enter(step, paths, path, surroundings.deeper, &exits)
      paths.update { known in
        if ports.mayWriteAnything { known.forgetAll() }
        for output in ports.outputs {
          known.write(output.name, by: .step(path: path.description, type: output.type))
        }
        for output in ports.itemWrites {
          known.mayWrite(output.name, by: .step(path: path.description, type: output.type))
        }
      }
    }
    return paths
  }

  /// Walks what lies inside a step; where branches meet, only what all of them write is certain.
  private mutating func enter(
    _ step: Blueprint.Step, _ paths: KnownPaths, _ path: FlowPath, _ surroundings: Surroundings,
    _ exits: inout [KnownPaths]
  ) -> KnownPaths {
    switch step.kind {
    case .operation, .closure, .group: return paths
    case .flow(let block, let data, _):
      var (paths, exits) = (paths, [KnownPaths]())
      paths.update { known in
        for (name, value) in data { known.ensure(name, value, flow: path.description) }
      }
      let end = walk(block, paths, surroundings, &exits)
      return KnownPaths.joining([end] + exits, keeping: sharedCaseKeys)
    case .cases(let cases):
      return choose(cases, paths, surroundings, &exits)
    case .parallel(let branches):
      let ends = branches.map { branch in
        // If no case matches in a branch, the branch ends, and the others go on.
        var exits: [KnownPaths] = []
        let end = walk(branch.block, paths, surroundings, &exits)
        return KnownPaths.joining([end] + exits, keeping: sharedCaseKeys)
      }
      return .concurrently(paths, ends)
    }
  }

  private mutating func choose(
    _ cases: Blueprint.Cases, _ paths: KnownPaths, _ surroundings: Surroundings, _ exits: inout [KnownPaths]
  ) -> KnownPaths {
    let conditions = cases.branches.map(\.condition)
    var outcomes: [KnownPaths] = []
    var namesOfOtherBranches: Set<String> = []
    for (index, branch) in cases.branches.enumerated() where !conditions[..<index].contains(branch.condition) {
      var inner = surroundings
      inner.namesOfOtherBranches.formUnion(namesOfOtherBranches)
      let earlier = branch.condition == .otherwise ? conditions[...] : conditions[..<index]
      let outcome = walk(branch.block, paths.taking(branch.condition, after: earlier), inner, &exits)
      if !cases.areCombined { namesOfOtherBranches.formUnion(outcome.merged?.namesWrittenBySteps ?? []) }
      outcomes.append(outcome)
    }
    if !conditions.contains(.otherwise) {
      exits.append(.joining([paths.taking(nil, after: conditions)], keeping: sharedCaseKeys))
    }
    return .joining(outcomes, keeping: sharedCaseKeys)
  }
}

/// What lies around a block that is walked.
private struct Surroundings {
  private(set) var depth = 0
  /// The names that are written in other branches of cases which are not combined.
  var namesOfOtherBranches: Set<String> = []

  var deeper: Surroundings {
    var deeper = self
    deeper.depth += 1
    return deeper
  }
}

extension Blueprint {
  fileprivate var sharedCaseKeys: Set<String> {
    var (seen, shared) = (Set<String>(), Set<String>())
    for case .cases(let cases) in steps.map(\.kind) {
      for key in Set(cases.branches.compactMap(\.condition.key)) where !seen.insert(key).inserted { shared.insert(key) }
    }
    return shared
  }
}
