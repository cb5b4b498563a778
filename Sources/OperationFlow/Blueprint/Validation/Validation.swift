/// Checks a blueprint before it runs: walks every path, keeps what is known of the data, and asks the rules at each step.
struct Validation {
  private(set) var problems: [FlowProblem] = []
  private let blueprint: Blueprint
  private let ports: [StepPorts]
  private let rules: [any ValidationRule.Type] = [
    EmptyFlowRule.self, UsedTwiceRule.self, LooseCombineRule.self, InvalidWidthRule.self, MissingInputRule.self,
    MismatchedInputRule.self, ChangedTypeRule.self, UnreachableCaseRule.self, GroupKeysRule.self,
  ]

  /// Checks at once; `data` is what the bucket holds at first, and `mayHoldMore` says that somebody may still add to it.
  init(_ blueprint: Blueprint, ports: [StepPorts], data: [String: any Sendable], mayHoldMore: Bool = false) {
    self.blueprint = blueprint
    self.ports = ports
    for rule in rules { problems += rule.problems(in: blueprint) }
    var known = KnownData(data)
    if mayHoldMore { known.forgetAll() }
    var exits: [KnownData] = []
    _ = walk(Blueprint.root, known, ValidationPath(), &exits)
  }

  /// Walks the steps of a block, and returns what is known after the last.
  ///
  /// `exits` takes what is known where the flow ends before that, because no case matches.
  private mutating func walk(
    _ block: Blueprint.BlockID, _ known: KnownData, _ path: ValidationPath, _ exits: inout [KnownData]
  ) -> KnownData {
    var known = known
    for (index, id) in blueprint.blocks[block].steps.enumerated() {
      let ports = ports[id]
      // Most steps declare nothing, and there is nothing to say of them.
      if ports.areUndeclared {
        known.forgetAll()
        continue
      }
      let step = blueprint.steps[id]
      let place = ValidationPlace(
        step: step, ports: ports, known: known, path: path.step(index, step.name))
      for rule in rules { problems += rule.problems(at: place) }
      if ports.mayWriteAnything { known.forgetAll() }
      for output in ports.outputs {
        known.write(output.name, by: .step(path: place.path.text, type: output.type))
      }
      known = enter(step, known, place.path, &exits)
    }
    return known
  }

  /// Walks what lies inside a step; where branches meet, only what all of them write is certain.
  private mutating func enter(
    _ step: Blueprint.Step, _ known: KnownData, _ path: ValidationPath, _ exits: inout [KnownData]
  ) -> KnownData {
    switch step.kind {
    case .operation, .closure, .group: return known
    case .flow(let block, let data, _):
      var known = known
      for (name, value) in data { known.ensure(name, value) }
      var exits: [KnownData] = []
      let end = walk(block, known, path, &exits)
      return KnownData.merging([end] + exits) ?? known
    case .cases(let cases):
      var outcomes: [KnownData] = []
      for branch in cases.branches {
        var inner = path.branch(branch.condition.text)
        if !cases.areCombined { inner.namesOfOtherBranches.formUnion(outcomes.flatMap(\.namesWrittenBySteps)) }
        outcomes.append(walk(branch.block, known, inner, &exits))
      }
      if !cases.branches.contains(where: { $0.condition == .otherwise }) { exits.append(known) }
      return KnownData.merging(outcomes) ?? known
    }
  }
}
