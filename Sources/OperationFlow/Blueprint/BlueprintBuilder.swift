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
    if let open { block = open.parent }
    open = nil
  }

  private mutating func openCases() -> Blueprint.StepID {
    if let open { return open.step }
    let step = blueprint.add(Blueprint.Step(name: "Cases", kind: .cases([])), to: block)
    open = (step, block)
    return step
  }
}
