@testable import OperationFlow

/// The blueprint of a simulated flow, and the number of each of its steps.
final class SimulatedBlueprint: Sendable {
  let blueprint: Blueprint
  /// The steps' numbers, by their indices in the blueprint.
  let numbers: [Int]
  /// The results of successful work, by the steps' indices in the blueprint.
  let results: [RunResult]

  init(_ flow: SimulatedFlow, fault: SimulatedMachine.Fault? = nil) {
    let blueprint = Self.blueprint(flow.steps, flow.always, fault)
    let steps = Dictionary(uniqueKeysWithValues: flow.allSteps.map { ($0.number, $0.kind) })
    let numbers = blueprint.steps.map(Self.number)
    self.blueprint = blueprint
    self.numbers = numbers
    results = blueprint.steps.indices.map { step in
      switch (blueprint.steps[step].kind, steps[numbers[step]]) {
      case (.cases(let built), .cases(let cases)): .chosen(Self.choice(cases, among: built.branches))
      case (.flow, _), (.parallel, _): .entered
      case (_, .group(let group)):
        .planned(
          count: group.isStreamed ? nil : group.items.count, width: group.width,
          tolerance: group.share.map { .share(Double($0) / 100) }
            ?? (group.tolerance == .max ? .all : .failures(group.tolerance)))
      default: .settled(.succeeded)
      }
    }
  }

  // MARK: Building

  private static let group = GroupStep(
    creator: SuccessOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out"))

  /// A limiter that is never asked, because the simulation grants the permits.
  private static let limiter = FlowLimiter(atMost: 1)

  private static func blueprint(
    _ steps: [SimulatedFlow.Step], _ always: [SimulatedFlow.Step] = [], _ fault: SimulatedMachine.Fault?
  ) -> Blueprint {
    var builder = BlueprintBuilder()
    add(steps, to: &builder, first: nil, isBranch: false, fault)
    for step in SimulatedMachine.always(always, with: fault) {
      guard case .flow(let inner) = step.kind else { continue }
      builder.addAlways("\(step.number)", InnerFlow(blueprint(inner, step.always, fault)))
    }
    return builder.finish()
  }

  private static func add(
    _ steps: [SimulatedFlow.Step], to builder: inout BlueprintBuilder, first: FlowCase?, isBranch: Bool,
    _ fault: SimulatedMachine.Fault?
  ) {
    var condition = first
    for (index, step) in steps.enumerated() {
      let name = "\(step.number)"
      let options = Self.options(step, fault)
      let plan = step.plan.map { SimulatedMachine.plan($0, with: fault) }
      switch step.kind {
      case .work:
        let operation = Blueprint.Step.Kind.operation(.factory(type: .of(SuccessOp.self)) { SuccessOp() })
        let kind = step.number % 2 == 0 ? operation : .closure(.sync { _ in })
        builder.add(self.step(name, kind, plan, options), condition: condition)
      case .group: builder.add(self.step(name, .group(group), plan, options), condition: condition)
      case .flow(let inner):
        builder.addFlow(name, InnerFlow(blueprint(inner, step.always, fault)), options)
      case .parallel(let branches):
        let branches = SimulatedMachine.branches(branches, with: fault)
        builder.addParallel(name, branches.enumerated().map { ("\($0)", InnerFlow(blueprint($1, [], fault))) }, options)
      case .cases(let cases):
        add(cases, step, to: &builder, isBranch: isBranch, isLast: index == steps.count - 1, fault)
      }
      condition = nil
    }
  }

  private static func options(_ step: SimulatedFlow.Step, _ fault: SimulatedMachine.Fault?) -> StepOptions {
    var options = StepOptions()
    if step.condition != nil { StepTrait<FlowStep.Composite>.when { _ in true }.change(&options) }
    if case .cases = step.kind {} else { options.weight = step.weight }
    if step.isLimited { options.limit(by: [limiter]) }
    if case .group(let group) = step.kind, !group.handings.isEmpty {
      options.results = ResultPlan(handlers: [{ _, _, _ in }])
    }
    if let undo = step.undo, fault != .undoesNothing {
      let plan = SimulatedMachine.plan(undo.plan, with: fault)
      let policy = FlowRetryPolicy.attempts(max(1, plan.count + (fault == .triesUndosOnceTooOften ? 1 : 0)))
      options.undo = UndoPlan(
        work: .closure { _ in }, retry: policy, timeout: plan.timeout,
        isForUncertain: undo.isForUncertain && fault != .forgetsWhatIsUncertain)
    }
    return options
  }

  private static func step(
    _ name: String, _ kind: Blueprint.Step.Kind, _ plan: AttemptPlan?, _ options: StepOptions
  ) -> Blueprint.Step {
    var step = Blueprint.Step(name: name, kind: kind, options: options)
    step.changeOptions { $0.attempts = plan }
    return step
  }

  private static func add(
    _ cases: SimulatedFlow.Cases, _ step: SimulatedFlow.Step, to builder: inout BlueprintBuilder, isBranch: Bool,
    isLast: Bool,
    _ fault: SimulatedMachine.Fault?
  ) {
    let conditions = cases.branches.enumerated().map { index, branch in
      branch.isOtherwise ? FlowCase.otherwise : FlowCase(key: "\(step.number)", value: "\(index)")
    }
    // In a branch, `flowCase:` would add branches to the outer cases, and it needs an operation or a group.
    let isFlat =
      step.condition == nil && cases.isFlat && !isBranch
      && cases.branches.allSatisfy { $0.steps.first.map(\.takesCase) ?? false }
    guard isFlat else {
      return builder.addCases(
        zip(conditions, cases.branches).map { ($0, InnerFlow(blueprint($1.steps, [], fault))) }, options(step, nil))
    }
    for (condition, branch) in zip(conditions, cases.branches) {
      add(branch.steps, to: &builder, first: condition, isBranch: true, fault)
    }
    if !isLast || cases.isCombined { builder.combine() }
  }

  // MARK: Reading

  private static func number(of step: Blueprint.Step) -> Int {
    guard case .cases(let cases) = step.kind else { return Int(step.name) ?? -1 }
    return cases.branches.lazy.compactMap(\.condition.key).first.flatMap { Int($0) } ?? -1
  }

  /// Returns the block of the branch that a run chooses.
  private static func choice(_ cases: SimulatedFlow.Cases, among branches: [Blueprint.Branch]) -> Blueprint.BlockID? {
    let match = cases.match.flatMap { value in branches.first { $0.condition.matches("\(value)") } }
    return (match ?? branches.first { $0.condition == .otherwise })?.block
  }
}

extension SimulatedFlow.Step {
  /// True if the step can be the first of a branch.
  fileprivate var takesCase: Bool {
    switch kind {
    case .work, .group: true
    case .flow, .cases, .parallel: false
    }
  }
}

extension InnerFlow {
  convenience init(_ blueprint: Blueprint) { self.init(BlueprintBuilder(blueprint)) }
}
