import TestSupport

@testable import OperationFlow

extension RunState {
  /// Returns the state of a run that is about to claim the first of a group's items.
  static func atItems(count: Int, width: Int) -> RunState {
    var builder = BlueprintBuilder()
    let dispatcher = FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out")
    let group = GroupStep(creator: SuccessOp.self, dispatcher: dispatcher)
    builder.add(Blueprint.Step(name: "group", kind: .group(group)), condition: nil)
    var machine = RunStateMachine(builder.finish())
    machine.begin()
    if let plan = machine.claim() {
      _ = machine.settle(plan.ticket, .planned(count: count, width: width, tolerance: .none))
    }
    return RunState(machine: machine, outcome: RunOutcome(didFinish: nil), facts: RunFacts())
  }
}
