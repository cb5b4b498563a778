import TestSupport
import Testing

@testable import OperationFlow

private final class DefaultOp: FlowOperation, @unchecked Sendable {
  @FlowInput var a: Int = 3
  @FlowInput var b: String?
  override func run() async throws {}
}

@Suite(.watched) struct UnusedValueRuleTests {
  @Test func `a value at first that can't be of the type of an optional input is a warning`() async throws {
    let flow = Flow().set(FlowKey<String>("a"), to: "x").set(FlowKey<Int>("b"), to: 1).add(DefaultOp())
    #expect(
      flow.findings == ["warning mismatchedData at 1. DefaultOp: a", "warning mismatchedData at 1. DefaultOp: b"])
    let problem = try #require(flow.validate().first)
    #expect(
      problem.problem
        == "<a> is read as <Int>, but the data bucket holds a <String> at first: the step goes on without that value.")
    #expect(await flow.run().isSuccess)
  }

  @Test func `what a step writes is one too, and what fits or is not known is none`() {
    #expect(Flow().add(WriteTextOp("a")).add(DefaultOp()).findings == ["warning mismatchedData at 2. DefaultOp: a"])
    #expect(
      Flow().add(WriteOp("a")).add("read", .reads(optional: FlowKey<String>("a")), .writesNothing) { _ in }.findings
        == ["warning mismatchedData at 2. read: a"])
    #expect(Flow().add(WriteOp("a")).add(WriteTextOp("b")).add(DefaultOp()).findings == [])
    #expect(Flow().add(SecretWriteOp("a")).add(DefaultOp()).findings == [])
  }
}
