/// Checks a blueprint before it runs: walks every path, keeps what is known of the data, and asks the rules at each step.
struct Validation {
  private(set) var problems: [FlowProblem] = []
  private let blueprint: Blueprint
  private let ports: [StepPorts]
  /// The keys that more than one cases step asks for: with them one branch goes with another.
  private let sharedCaseKeys: Set<String>
  private let rules: [any ValidationRule.Type]

  private static let allRules: [any ValidationRule.Type] = [
    EmptyFlowRule.self, UsedTwiceRule.self, LooseCombineRule.self, InvalidWidthRule.self, MissingInputRule.self,
    MismatchedInputRule.self, ChangedTypeRule.self, UnreachableCaseRule.self, GroupKeysRule.self,
  ]

  /// Checks at once; `data` is what the bucket holds at first, and `mayHoldMore` says that somebody may still add to it.
  init(
    _ blueprint: Blueprint, ports: [StepPorts], data: [String: any Sendable], mayHoldMore: Bool = false,
    errorsOnly: Bool = false
  ) {
    self.blueprint = blueprint
    self.ports = ports
    rules = Self.allRules.filter { !errorsOnly || $0.severity == .error }
    sharedCaseKeys = blueprint.sharedCaseKeys
    for rule in rules { problems += rule.problems(in: blueprint) }
    var known = KnownData(data)
    if mayHoldMore { known.forgetAll() }
    var exits: [KnownPaths] = []
    _ = walk(Blueprint.root, KnownPaths([known]), ValidationPath(), &exits)
  }

  /// Walks the steps of a block, and returns what is known after the last.
  ///
  /// `exits` takes what is known where the flow ends before that, because no case matches.
  private mutating func walk(
    _ block: Blueprint.BlockID, _ paths: KnownPaths, _ path: ValidationPath, _ exits: inout [KnownPaths]
  ) -> KnownPaths {
    var paths = paths
    for (index, id) in blueprint.blocks[block].steps.enumerated() {
      let ports = ports[id]
      // Most steps declare nothing, and there is nothing to say of them.
      if ports.areUndeclared {
        paths.update { $0.forgetAll() }
        continue
      }
      // What no path leads to does not run.
      guard let known = paths.merged else { return paths }
      let step = blueprint.steps[id]
      let place = ValidationPlace(step: step, ports: ports, known: known, path: path.step(index, step.name))
      for rule in rules { problems += rule.problems(at: place) }
      paths.update { known in
        if ports.mayWriteAnything { known.forgetAll() }
        for output in ports.outputs {
          known.write(output.name, by: .step(path: place.path.text, type: output.type))
        }
      }
      paths = enter(step, paths, place.path, &exits)
    }
    return paths
  }

  /// Walks what lies inside a step; where branches meet, only what all of them write is certain.
  private mutating func enter(
    _ step: Blueprint.Step, _ paths: KnownPaths, _ path: ValidationPath, _ exits: inout [KnownPaths]
  ) -> KnownPaths {
    switch step.kind {
    case .operation, .closure, .group: return paths
    case .flow(let block, let data, _):
      var (paths, exits) = (paths, [KnownPaths]())
      paths.update { known in
        for (name, value) in data { known.ensure(name, value, flow: path.text) }
      }
      let end = walk(block, paths, path, &exits)
      return KnownPaths.joining([end] + exits, keeping: sharedCaseKeys)
    case .cases(let cases):
      return choose(cases, paths, path, &exits)
    }
  }

  private mutating func choose(
    _ cases: Blueprint.Cases, _ paths: KnownPaths, _ path: ValidationPath, _ exits: inout [KnownPaths]
  ) -> KnownPaths {
    let conditions = cases.branches.map(\.condition)
    var outcomes: [KnownPaths] = []
    var namesOfOtherBranches: Set<String> = []
    for (index, branch) in cases.branches.enumerated() where !conditions[..<index].contains(branch.condition) {
      var inner = path.branch(branch.condition.text)
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

extension Blueprint {
  fileprivate var sharedCaseKeys: Set<String> {
    var (seen, shared) = (Set<String>(), Set<String>())
    for case .cases(let cases) in steps.map(\.kind) {
      for key in Set(cases.branches.compactMap(\.condition.key)) where !seen.insert(key).inserted { shared.insert(key) }
    }
    return shared
  }
}
