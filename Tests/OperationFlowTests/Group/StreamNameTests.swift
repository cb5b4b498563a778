import TestSupport
import Testing

@testable import OperationFlow

/// Groups over sequences, which have no key that could name them.
@Suite(.watched) struct StreamNameTests {
  @Test func `groups without a name are numbered, and one with a name keeps it`() async {
    let flow = Flow().forEach(in: 0..<1) { _, _ in }.forEach(in: 0..<1, .named("named")) { _, _ in }
      .forEach(in: 0..<1) { _, _ in await Task.yield() }
      .forEach(
        in: AsyncStream<Int> {
          $0.yield(1); $0.finish()
        }
      ) { _, _ in }
    #expect(
      flow.blueprint.steps.map(\.description) == ["1. forEach", "2. named", "3. forEach (2)", "4. forEach (3)"])
    let outcome = await flow.run()
    #expect(outcome.report.started == ["[forEach #0]", "[named #0]", "[forEach (2) #0]", "[forEach (3) #0]"])
  }

  @Test func `a group over a sequence says that it starts, as one over an array does`() async {
    let flow = Flow().forEach(in: 0..<1) { _, _ in }.forEach(in: AsyncStream<Int> { $0.finish() }) { _, _ in }
    #expect(
      await flow.run().report.lines == [
        "[DataBucket] start with:", "[forEach] group started: its items are taken as there is room",
        "[forEach #0] WillStart", "[forEach #0] DidFinish: successfully",
        "[forEach (2)] group started: its items are taken as there is room", "[DataBucket] end with:",
      ])
  }
}
