import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct LooseCombineRuleTests {
  private let flowCase = FlowCase(key: "target", value: "A")

  @Test func `combine without cases is a warning that says where`() throws {
    #expect(Flow().combine().add(SuccessOp()).findings == ["warning misplacedCombine at the start"])
    let flow = Flow().add(SuccessOp()).add(SuccessOp()).combine().add(SuccessOp())
    #expect(flow.findings == ["warning misplacedCombine at behind step 2"])
    #expect(try #require(flow.validate().first).remedy.contains("flowCase"))
  }

  @Test func `combine behind cases is fine, and a second one is not`() {
    let flow = Flow().set("target", to: "A").add(SuccessOp(), flowCase: flowCase).combine()
    #expect(flow.findings == [])
    #expect(flow.combine().findings == ["warning misplacedCombine at behind step 1"])
  }

  @Test func `structured cases need no combine`() {
    let flow = Flow().set("target", to: "A").cases(on: "target") { $0.when("A") { $0.add(SuccessOp()) } }
    #expect(flow.findings == [])
    #expect(flow.combine().findings == ["warning misplacedCombine at behind step 1"])
  }

  @Test func `it is found in branches and in inner flows as well`() {
    let inner = Flow("inner").add(SuccessOp()).combine()
    #expect(Flow().add(flow: inner).findings == ["warning misplacedCombine at inner > behind step 1"])
    let flow = Flow().set("target", to: "A").cases(on: "target") { $0.when("A") { $0.combine().add(SuccessOp()) } }
    #expect(flow.findings == ["warning misplacedCombine at target=A > the start"])
  }

  @Test func `an inner flow's combine does not close the outer one's cases`() {
    let inner = Flow("inner").add(SuccessOp(), flowCase: flowCase).combine()
    let flow = Flow().set("target", to: "A").add(flow: inner, flowCase: flowCase).combine().add(SuccessOp())
    #expect(flow.findings == [])
  }

  @Test func `a flow with the warning runs`() async {
    #expect(await Flow().combine().add(SuccessOp()).run().isSuccess)
  }

  @Test func `a step that reads what another branch writes says that combine is missing`() async throws {
    let flow = Flow().set("target", to: "A")
      .add(WriteOp("a"), flowCase: flowCase)
      .add(WriteOp("b"), flowCase: FlowCase(key: "target", value: "B"))
      .add(CopyOp("a"))
    #expect(flow.findings == ["error misplacedCombine at 1. Cases > target=B > 2. CopyOp: a"])
    #expect(try #require(flow.validate().first).remedy.contains("combine()"))
    #expect(await flow.run().code == .misplacedCombine)
  }

  @Test func `a condition that only a run can check doesn't hide that combine is missing`() {
    let flow = Flow().set("target", to: "A")
      .add(WriteOp("a"), .when { _ in true }, flowCase: flowCase)
      .add(WriteOp("b"), flowCase: FlowCase(key: "target", value: "B"))
      .add(CopyOp("a"))
    #expect(flow.findings == ["error misplacedCombine at 1. Cases > target=B > 2. CopyOp: a"])
  }

  @Test func `what was written before the cases is not said to be another branch's`() {
    let flow = Flow().set("target", to: "A").set("other", to: "X")
      .add(WriteOp("a"), flowCase: flowCase)
      .add(WriteOp("b"), flowCase: FlowCase(key: "target", value: "B")).combine()
      .add(WriteOp("c"), flowCase: FlowCase(key: "other", value: "X"))
      .add(CopyOp("a"), flowCase: FlowCase(key: "other", value: "Y"))
    #expect(flow.findings == ["error missingData at 2. Cases > other=Y > 1. CopyOp: a"])
  }

  @Test func `a step of the last branch that needs nothing of the others is fine without combine`() {
    let flow = Flow().set("target", to: "A")
      .add(WriteOp("a"), flowCase: flowCase)
      .add(WriteOp("b"), flowCase: FlowCase(key: "target", value: "B"))
      .add(CopyOp("b"))
    #expect(flow.findings == [])
  }
}
