import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct ChangedTypeRuleTests {
  @Test func `an output that overwrites another of a different type is a warning that names both`() throws {
    let flow = Flow().add(WriteOp("a")).add(WriteTextOp("a"))
    #expect(flow.findings == ["warning mismatchedData at 2. WriteTextOp: a"])
    let problem = try #require(flow.validate().first)
    #expect(problem.problem == "It writes a <String> under <a>, over the <Int> of 1. WriteOp.")
    #expect(problem.remedy == "Give one of them another key.")
  }

  @Test func `so is one over a value that is there at first`() {
    let flow = Flow().set("a", to: 1).add(WriteTextOp("a"))
    #expect(flow.findings == ["warning mismatchedData at 1. WriteTextOp: a"])
  }

  @Test func `the same type, and another name, are fine`() {
    #expect(Flow().set("a", to: 1).add(WriteOp("a")).add(WriteOp("a")).findings == [])
    #expect(Flow().add(WriteOp("a")).add(WriteTextOp("b")).findings == [])
  }

  @Test func `behind a step that declares nothing it is not known what is overwritten`() {
    #expect(Flow().add(WriteOp("a")).add(SecretWriteOp("b")).add(WriteTextOp("a")).findings == [])
  }

  @Test func `branches beside each other do not overwrite each other`() {
    let flow = Flow().set("target", to: "A")
      .cases(on: "target") {
        $0.when("A") { $0.add(WriteOp("a")) }
        $0.otherwise { $0.add(WriteTextOp("a")) }
      }
    #expect(flow.findings == [])
    #expect(flow.add(WriteOp("a")).findings == ["warning mismatchedData at 2. WriteOp: a"])
  }

  @Test func `a flow with the warning runs`() async {
    let outcome = await Flow().add(WriteOp("a")).add(WriteTextOp("a")).run()
    #expect(outcome.report["a"] == "text")
  }

  @Test func `an optional output over what it holds is the same type`() {
    final class MaybeOp: FlowOperation, @unchecked Sendable {
      @FlowOutput(FlowKey<Int?>("a")) var a
    }
    #expect(Flow().add(WriteOp("a")).add(MaybeOp()).findings == [])
  }

  @Test func `a group's output is an array`() {
    let flow = Flow().set("a", to: 1).forEach(in: [1], into: "a" as FlowKey<[Int]>) { item, _ in item }
    #expect(flow.findings == ["warning mismatchedData at 1. forEach: a"])
  }
}
