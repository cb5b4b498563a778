import OperationFlow
import Testing

@Suite(.watched) struct RecoverTests {
  @Test func `a step that recovers has succeeded, and the report says from what`() async throws {
    let key = FlowKey<String>("quote")
    let flow = Flow()
      .add(
        "ask", .retry(.attempts(2)),
        .recover { error, context in
          #expect(error as? TestError == TestError(name: "2") && context.attempt == 2)
          context[key] = "unknown"
        }
      ) { throw TestError(name: "\($0.attempt)") }
      .add("next") { _ in }
    let outcome = await flow.run()
    #expect(outcome.isSuccess && outcome.report[key] == "unknown")
    let recovery = try #require(outcome.report.recoveries.first)
    #expect(recovery.name == "[ask]" && recovery.attempts == 2 && recovery.path == "1. ask")
    #expect(recovery.error as? TestError == TestError(name: "2") && recovery.item == nil)
    #expect(outcome.report.lines.contains("[ask] DidFinish: recovered from withError: TestError(2)"))
    #expect(outcome.report.steps.map(\.end) == [.succeeded, .succeeded])
    #expect(outcome.report.steps.map(\.attempts) == [2, 1])
  }

  @Test
  func `a success and a cancelled step get no recovery, one that throws decides the error, and operations recover`()
    async
  {
    let recovered = Tally()
    let flow = Flow().add("fine", .recover { _, _ in recovered.add() }) { _ in }
      .add(BlockOp("fails") { $0.finishWithError(error: TestError()) }, .recover { _, _ in })
      .add("stops", .recover { _, _ in recovered.add() }) { _ in throw CancellationError() }
    let outcome = await flow.run()
    #expect(outcome.isCancelled && recovered.count == 0 && outcome.report.recoveries.map(\.name) == ["[fails]"])
    let worse = await Flow().add("ask", .recover { _, _ in throw TestError(name: "worse") }) { _ in throw TestError() }
      .run()
    #expect(worse.error as? TestError == TestError(name: "worse") && worse.report.recoveries.isEmpty)
  }

  @Test func `an item that recovers counts as succeeded, without an output`() async {
    let key = FlowKey<[Int]>("out")
    let flow = Flow().forEach(
      in: 0..<4, into: key, width: 1,
      .recover { _, context in
        if context.index == 3 { throw TestError(name: "for good") }
      }
    ) { (item: Int, _) throws -> Int in
      if item.isMultiple(of: 2) { return item }
      throw TestError()
    }
    let failed = await flow.run()
    #expect(failed.failure?.item == 3 && failed.report.recoveries.map(\.item) == [1])
    let tolerant = Flow().forEach(in: 0..<4, into: key, tolerating: .all, .recover { _, _ in }) { item, _ in
      if item == 1 { throw TestError() }
      return item
    }
    let report = await tolerant.run().report
    #expect(report[key] == [0, 2, 3] && report.itemFailures.isEmpty && report.recoveries.count == 1)
    #expect(report.steps.first?.items?.succeeded == 4)
  }

  @Test func `cancelling ends a recovery`() async {
    let isRecovering = Signal()
    let run = Flow().add(
      "ask",
      .recover { _, _ in await isRecovering.fireUntilCancelled() }
    ) { _ in throw TestError() }.start()
    await isRecovering.wait()
    #expect(run.waitingFor.map { "\($0.source)" } == ["[ask]"])
    run.cancel()
    let outcome = await run.outcome
    #expect(outcome.isCancelled)
    // The recovery returned nonetheless, and the report contains it.
    #expect(outcome.report.recoveries.map { $0.error is TestError } == [true])
  }
}
