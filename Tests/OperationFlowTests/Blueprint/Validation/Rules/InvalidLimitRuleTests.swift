import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct InvalidLimitRuleTests {
  @Test func `a limiter whose numbers make no sense is an error wherever it is used, and nothing starts`() async throws
  {
    let (none, never) = (FlowLimiter(atMost: 0), FlowLimiter(starts: 0, per: .seconds(-1)))
    let flow = Flow()
      .add("closure", .limited(by: none)) { _ in fail("ran") }
      .add(SuccessOp(), .limited(by: FlowLimiter(atMost: 1), never))
      .add(operation: SuccessOp(), .limited(by: none))
      .forEach(in: 0..<3, .limited(by: none)) { _, _ in fail("ran") }
      .add(flow: Flow("inner").add("within", .limited(by: none)) { _ in })
    #expect(
      flow.faults == [
        "error invalidLimit at 1. closure", "error invalidLimit at 2. SuccessOp", "error invalidLimit at 2. SuccessOp",
        "error invalidLimit at 3. SuccessOp", "error invalidLimit at 4. forEach",
        "error invalidLimit at 5. inner > 1. within",
      ])
    let outcome = await flow.run()
    #expect(outcome.code == .invalidFlow && outcome.report.started == [])
    let single = await Flow().add("closure", .limited(by: none)) { _ in fail("ran") }.run()
    let error = try #require(single.error as? FlowError)
    #expect(error.code == .invalidLimit)
    #expect(error.description.hasSuffix("the limiter lets 0 run at once. Give it atMost: with 1 or more."))
  }
}
