/// Turns the builder's calls, one after the other, into a blueprint.
struct BlueprintBuilder: Sendable {
  private(set) var blueprint = Blueprint()
  /// Where the next step goes.
  private var block = Blueprint.root
  /// The cases whose branches are being added, with the block that goes on after `combine()`.
  private var open: (step: Blueprint.StepID, parent: Blueprint.BlockID)?

  /// Adds a step: as the first of a branch where it has a condition, else behind the last step.
  mutating func add(_ step: Blueprint.Step, condition: FlowCase?) {
    if let condition {
      let cases = openCases()
      block = blueprint.addBlock()
      blueprint.addBranch(Blueprint.Branch(condition: condition, block: block), to: cases)
    }
    _ = blueprint.add(step, to: block)
  }

  /// The branches meet; without open cases nothing happens.
  mutating func combine() {
    guard let open else { return blueprint.noteLooseCombine() }
    blueprint.combineCases(open.step)
    block = open.parent
    self.open = nil
  }

  private mutating func openCases() -> Blueprint.StepID {
    if let open { return open.step }
    let step = blueprint.add(Blueprint.Step(name: "Cases", kind: .cases(Blueprint.Cases())), to: block)
    open = (step, block)
    return step
  }

  /// Adds a cases step whose branches are flows of their own; it is whole at once and needs no `combine()`.
  mutating func addCases(
    _ branches: [(condition: FlowCase, blueprint: Blueprint)], _ options: StepOptions = StepOptions()
  ) {
    let moved = branches.map { condition, inner in
      Blueprint.Branch(condition: condition, block: blueprint.take(inner, named: condition.text))
    }
    let kind = Blueprint.Step.Kind.cases(Blueprint.Cases(branches: moved, areCombined: true))
    _ = blueprint.add(Blueprint.Step(name: options.name ?? "Cases", kind: kind, options: options), to: block)
  }

  /// Adds a step whose branches run at once and meet.
  mutating func addParallel(_ name: String, _ branches: [(name: String, blueprint: Blueprint)]) {
    let moved = branches.map { branch in
      Blueprint.ParallelBranch(
        name: branch.name, block: blueprint.take(branch.blueprint, named: "\(name) > \(branch.name)"))
    }
    add(Blueprint.Step(name: name, kind: .parallel(moved)), condition: nil)
  }

  /// Adds another flow as a step.
  mutating func addFlow(_ flow: FlowSnapshot, condition: FlowCase?, _ options: StepOptions = StepOptions()) {
    let inner = blueprint.take(flow.blueprint, named: flow.name)
    let kind = Blueprint.Step.Kind.flow(inner, data: flow.data, sensitiveNames: flow.sensitiveNames)
    add(Blueprint.Step(name: options.name ?? flow.name, kind: kind, options: options), condition: condition)
  }

  mutating func setWeightOfLastStep(_ weight: Int) {
    blueprint.setWeight(weight, ofLastStepIn: block)
  }
}

/// What a flow is at the moment when it becomes a step of another.
struct FlowSnapshot: Sendable {
  let name: String
  let blueprint: Blueprint
  let data: [String: any Sendable]
  let sensitiveNames: Set<String>
}
