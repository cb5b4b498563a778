import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct EmptyFlowRuleTests {
  @Test func `a flow without steps is a warning, and succeeds`() async {
    let flow = Flow().set("a", to: 1)
    #expect(flow.findings == ["warning emptyFlow at the flow"])
    let outcome = await flow.run()
    #expect(outcome.isSuccess)
    #expect(outcome.report.stepCount == 0)
    #expect(outcome.report["a"] == 1)
  }

  @Test func `a flow with one step of any kind is none`() {
    #expect(Flow().add(SuccessOp()).findings == [])
    #expect(Flow().add("step") { _ in }.findings == [])
    #expect(Flow().forEach(in: [1]) { _, _ in }.findings == [])
    #expect(Flow().add(flow: Flow("inner").add(SuccessOp())).findings == [])
  }
}
