import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct UnreachableCaseRuleTests {
  private func target(_ value: String) -> FlowCase { FlowCase(key: "target", value: value) }

  @Test func `the second of two cases with the same key and value is a warning`() {
    let flow = Flow().set("target", to: "A")
      .add(SuccessOp(), flowCase: target("A")).add(SuccessOp(), flowCase: target("B"))
      .add(SuccessOp(), flowCase: target("A")).combine()
    #expect(flow.findings == ["warning unreachableCase at 1. Cases > target=A: target"])
    #expect(flow.validate().first?.problem == "A branch before it has the same condition, and is taken instead.")
  }

  @Test func `so is the second otherwise`() {
    let flow = Flow().set("target", to: "A").cases(on: "target") {
      $0.otherwise { $0.add(SuccessOp()) }
      $0.otherwise { $0.add(SuccessOp()) }
    }
    #expect(flow.findings == ["warning unreachableCase at 1. Cases > otherwise"])
  }

  @Test func `a key that nothing writes is a warning, once a branch`() {
    let flow = Flow().add(WriteOp("other")).cases(on: "target") {
      $0.when("A") { $0.add(SuccessOp()) }
      $0.when("B") { $0.add(SuccessOp()) }
      $0.otherwise { $0.add(SuccessOp()) }
    }
    #expect(
      flow.findings == [
        "warning unreachableCase at 2. Cases > target=A: target",
        "warning unreachableCase at 2. Cases > target=B: target",
      ])
    #expect(flow.validate().first?.problem.contains("nothing writes <target>") == true)
  }

  @Test func `a key that is there at first, or that a step may write, is fine`() {
    let cases = { (flow: Flow) in flow.cases(on: "target") { $0.when("A") { $0.add(SuccessOp()) } } }
    #expect(cases(Flow().set("target", to: "B")).findings == [])
    #expect(cases(Flow().add(WriteTextOp("target"))).findings == [])
    #expect(cases(Flow().add(SecretWriteOp("target"))).findings == [])
    #expect(cases(Flow().setWillStartBlock { _ in }).findings == [])
  }

  @Test func `a key that one of the branches before writes is fine`() {
    let flow = Flow().set("target", to: "A")
      .cases(on: "target") {
        $0.when("A") { $0.add(WriteTextOp("next")) }
        $0.otherwise { $0.add(WriteOp("a")) }
      }
      .cases(on: "next") { $0.when("text") { $0.add(SuccessOp()) } }
    #expect(flow.findings == [])
  }

  @Test func `a branch that can't be taken is no fault of the flow, whatever it lacks`() async {
    let twice = Flow().set("target", to: "A")
      .add(WriteOp("a"), flowCase: target("A")).add(CopyOp("missing"), flowCase: target("A")).combine()
      .add(CopyOp("a"))
    #expect(twice.faults == [])
    #expect(await twice.run().isSuccess)
    let nested = Flow().set("target", to: "A").cases(on: "target") {
      $0.when("A") { branch in
        branch.cases(on: "target") {
          $0.when("B") { $0.add(CopyOp("missing")) }
          $0.otherwise { $0.add(WriteOp("a")) }
        }.add(CopyOp("a"))
      }
    }
    #expect(nested.faults == [])
    #expect(await nested.run().isSuccess)
    let unwritten = Flow().add(WriteOp("a")).cases(on: "target") { $0.when("A") { $0.add(CopyOp("missing")) } }
    #expect(unwritten.faults == [])
    #expect(await unwritten.run().isSuccess)
    #expect(await unwritten.run(with: ["target": "A"]).code == .missingData)
  }

  @Test func `a key that changed in between tells nothing of an earlier branch`() {
    let flow = Flow().set("target", to: "A")
      .cases(on: "target") {
        $0.when("A") { $0.add(WriteOp("a")) }
        $0.otherwise { $0.add(WriteOp("b")) }
      }
      .add(WriteTextOp("target", "A"))
      .cases(on: "target") {
        $0.when("A") { $0.add(CopyOp("a")) }
        $0.otherwise { $0.add(WriteOp("c")) }
      }
    #expect(flow.faults == ["error missingData at 3. Cases > target=A > 1. CopyOp: a"])
  }
}
