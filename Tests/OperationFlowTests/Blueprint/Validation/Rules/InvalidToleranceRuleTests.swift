import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct InvalidToleranceRuleTests {
  @Test(arguments: [-1, Int.min]) func `a tolerance below 0 is an error, however the group is made`(count: Int)
    async throws
  {
    let (numbers, output): (FlowKey<[Int]>, FlowKey<[Int]>) = ("numbers", "out")
    let flow = Flow().set(numbers, to: [1])
      .forEach(numbers, tolerating: .failures(count)) { _, _ in fail("ran") }
      .forEach(numbers, into: output, tolerating: .failures(count), run: DoubleOp.self, .named("operations"))
      .forEach(in: [1], tolerating: .failures(count)) { _, _ in fail("ran") }
    #expect(
      flow.faults == [
        "error invalidTolerance at 1. numbers", "error invalidTolerance at 2. operations",
        "error invalidTolerance at 3. forEach",
      ])
    let single = await Flow().forEach(in: [1], tolerating: .failures(count)) { _, _ in fail("ran") }.run()
    let error = try #require(single.error as? FlowError)
    #expect(error.code == .invalidTolerance && single.report.started == [])
    #expect(error.description.hasSuffix("Give the group .failures(_:) with 0 or more, .none or .all."))
  }

  @Test(arguments: [-0.1, 1.01, .infinity, -.infinity, .nan])
  func `a share that is not from 0 to 1 refuses the flow`(share: Double) async throws {
    let flow = Flow().forEach(in: [1], tolerating: .share(share)) { _, _ in fail("ran") }
    #expect(flow.faults == ["error invalidTolerance at 1. forEach"])
    let outcome = await flow.run()
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .invalidTolerance && outcome.report.started == [])
    #expect(
      error.description.hasSuffix("Give the group .share(_:) with a number from 0 to 1: .share(0.05) is one of 20."))
  }

  @Test func `one that is 0 and more is fine`() async {
    for tolerance in [
      FlowTolerance.none, .failures(0), .failures(1), .failures(.max), .all, .share(0), .share(0.5), .share(1),
    ] {
      #expect(await Flow().forEach(in: [1], tolerating: tolerance) { _, _ in }.run().isSuccess)
    }
  }
}
