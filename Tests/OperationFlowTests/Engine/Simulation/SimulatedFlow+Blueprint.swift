@testable import OperationFlow

/// A simulated flow as the state machine sees it, and which of its steps is which.
final class SimulatedBlueprint: Sendable {
  let blueprint: Blueprint
  /// The steps' numbers, by what the blueprint calls them.
  let numbers: [Int]
  /// What the state machine is to be told of a step whose work succeeds.
  let results: [RunResult]

  init(_ flow: SimulatedFlow) {
    let blueprint = Self.blueprint(flow.steps)
    let steps = Dictionary(uniqueKeysWithValues: flow.allSteps.map { ($0.number, $0.kind) })
    let numbers = blueprint.steps.map(Self.number)
    self.blueprint = blueprint
    self.numbers = numbers
    results = blueprint.steps.indices.map { step in
      switch (blueprint.steps[step].kind, steps[numbers[step]]) {
      case (.cases(let built), .cases(let cases)): .chosen(Self.choice(cases, among: built.branches))
      case (.flow(let block, _, _), _): .entered(block)
      case (_, .group(let group)):
        .planned(
          count: group.isStreamed ? nil : group.items.count, width: group.width,
          tolerance: group.tolerance == .max ? .all : .failures(group.tolerance))
      default: .settled(.succeeded)
      }
    }
  }

  // MARK: Building

  private static let group = GroupStep(
    creator: SuccessOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out"))

  private static func blueprint(_ steps: [SimulatedFlow.Step]) -> Blueprint {
    var builder = BlueprintBuilder()
    add(steps, to: &builder, first: nil, isBranch: false)
    return builder.blueprint
  }

  private static func add(
    _ steps: [SimulatedFlow.Step], to builder: inout BlueprintBuilder, first: FlowCase?, isBranch: Bool
  ) {
    var condition = first
    for (index, step) in steps.enumerated() {
      let name = "\(step.number)"
      switch step.kind {
      case .work:
        let operation = Blueprint.Step.Kind.operation(.factory(type: .of(SuccessOp.self)) { SuccessOp() })
        builder.add(
          Blueprint.Step(name: name, kind: step.number % 2 == 0 ? operation : .closure(.sync { _ in })),
          condition: condition)
      case .group:
        builder.add(Blueprint.Step(name: name, kind: .group(group)), condition: condition)
      case .flow(let inner):
        builder.addFlow(
          FlowSnapshot(name: name, blueprint: blueprint(inner), data: [:], sensitiveNames: []), condition: condition)
      case .cases(let cases):
        add(cases, step.number, to: &builder, isBranch: isBranch, isLast: index == steps.count - 1)
      }
      if case .cases = step.kind {} else { builder.setWeightOfLastStep(step.weight) }
      condition = nil
    }
  }

  private static func add(
    _ cases: SimulatedFlow.Cases, _ number: Int, to builder: inout BlueprintBuilder, isBranch: Bool, isLast: Bool
  ) {
    let conditions = cases.branches.enumerated().map { index, branch in
      branch.isOtherwise ? FlowCase.otherwise : FlowCase(key: "\(number)", value: "\(index)")
    }
    // More cases by `flowCase:` would be branches of the outer ones, and only an operation, a group or a flow has one.
    let isFlat = cases.isFlat && !isBranch && cases.branches.allSatisfy { $0.steps.first.map(\.takesCase) ?? false }
    guard isFlat else {
      return builder.addCases(zip(conditions, cases.branches).map { ($0, blueprint($1.steps)) })
    }
    for (condition, branch) in zip(conditions, cases.branches) {
      add(branch.steps, to: &builder, first: condition, isBranch: true)
    }
    if !isLast || cases.isCombined { builder.combine() }
  }

  // MARK: Reading

  private static func number(of step: Blueprint.Step) -> Int {
    guard case .cases(let cases) = step.kind else { return Int(step.name) ?? -1 }
    return cases.branches.lazy.compactMap(\.condition.key).first.flatMap { Int($0) } ?? -1
  }

  /// The block of the branch to take, found as a run finds it.
  private static func choice(_ cases: SimulatedFlow.Cases, among branches: [Blueprint.Branch]) -> Blueprint.BlockID? {
    let value = cases.match.map { "\($0)" }
    let match = branches.first { $0.condition.key != nil && $0.condition.value == value }
    return (match ?? branches.first { $0.condition == .otherwise })?.block
  }
}

extension SimulatedFlow.Step {
  /// Whether it can be the first of a branch.
  fileprivate var takesCase: Bool { if case .cases = kind { false } else { true } }
}
