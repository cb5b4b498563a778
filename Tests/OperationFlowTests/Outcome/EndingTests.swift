import Foundation
import OperationFlow
import OperationFlowObservation
import TestSupport
import Testing

/// The step in which a run failed, the reason of a cancellation, and the step at which a run ended early.
@Suite(.watched) struct EndingTests {
  /// Returns the line of the summary that describes the end of the run.
  private func lastLine(_ report: FlowReport) -> String {
    String(report.summary.split(separator: "\n").last { $0.hasPrefix("Flow isSuccess:") } ?? "")
  }

  /// Expects this text about the end in the summary of a flow's run, after `Flow isSuccess: false, `.
  @discardableResult
  private func fails(_ flow: Flow, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) async
    -> FlowOutcome
  {
    let outcome = await flow.run()
    #expect(lastLine(outcome.report) == "Flow isSuccess: false, " + text, sourceLocation: sourceLocation)
    return outcome
  }

  private struct NoRoom: LocalizedError {
    var errorDescription: String? { "The disk is full." }
  }

  // MARK: Failed

  @Test func `the summary names what has failed`() async {
    let login = Flow("Greeting").add(BlockOp("login") { let _: Int? = $0.getData(name: "id") })
    let text =
      "can't find <id> in data bucket. Set <id> in the flow's data bucket, or in a step that comes before."
    #expect(await fails(login, "failed in [login]: " + text).failure?.path == "1. BlockOp")
    await fails(
      Flow().add("broken", .retry(.attempts(2))) { _ in throw TestError() },
      "failed in [broken] (attempt 2): TestError(test)")
    let localized = await fails(Flow().add("save") { _ in throw NoRoom() }, "failed in [save]: The disk is full.")
    #expect(localized.report.lines.contains("[save] DidFinish: withError: The disk is full."))
    let stream = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: TestError()) }
    let group = await fails(Flow().forEach(in: stream) { _, _ in }, "failed in [forEach]: TestError(test)")
    #expect(group.failure?.name == "[forEach]" && group.failure?.item == nil)
    await fails(Flow().add("stop") { _ in throw CancellationError() }, "cancelled by [stop]")
  }

  @Test func `an item's failure is named, with an error of one's own type`() async throws {
    let flow = Flow("Lengths").recording(.none).set("words", to: ["a", "bb", "", "d"])
      .cases(on: "words") {
        $0.otherwise {
          $0.forEach("words" as FlowKey<[String]>, width: 1) { word, _ in
            if word.isEmpty { throw TestError(name: "empty") }
          }
        }
      }
    let outcome = await fails(flow, "failed in [words #3]: TestError(empty)")
    let failure = try #require(outcome.failure)
    #expect(failure.name == "[words #3]" && failure.item == 2 && failure.attempt == 1)
    #expect(failure.path == "1. Cases > otherwise > 1. words")
    #expect(failure.error as? TestError == TestError(name: "empty"))
    #expect(failure.duration >= .zero && failure.duration <= outcome.report.duration + .milliseconds(1))
  }

  @Test func `a success, and a cancelled run, have not failed`() async {
    let success = await Flow().add("a") { _ in }.run()
    #expect(
      success.failure == nil && success.report.cancellation == nil
        && success.report.earlyEnds.isEmpty)
    #expect(lastLine(success.report) == "Flow isSuccess: true")
    #expect(await Flow().add("a") { _ in throw CancellationError() }.run().failure == nil)
  }

  @Test func `a refused flow's summary has the step and the remedy, as its error does`()
    async throws
  {
    let flow = Flow("Upload").forEach(in: [1], width: 0) { _, _ in }
    let error = try #require(await flow.run().error)
    await fails(flow, "refused: \(error)")
    #expect("\(error)".contains("step 1. forEach") && "\(error)".contains("at least 1"))
    for _ in 1..<1_000 { flow.forEach(in: [1], width: 0) { _, _ in } }
    let long = try #require(await flow.run().error)
    #expect("\(long)".hasSuffix("- and 980 more. Fix them. validate() lists all of them."))
    #expect("\(long)".utf8.count < 5_000)
  }

  // MARK: Cancelled

  @Test func `a cancelled run says what cancelled it`() async {
    func waiting(_ hasBegun: Signal) -> Flow {
      Flow().add("waits") { _ in await hasBegun.fireUntilCancelled() }
    }
    let (called, awaited, watched) = (Signal(), Signal(), Signal())
    let run = waiting(called).start()
    await called.wait()
    run.cancel()
    #expect(await run.outcome.report.cancellation == .call)
    #expect(lastLine(await run.outcome.report) == "Flow isSuccess: false, cancelled by a call of cancel()")
    let task = Task { await waiting(awaited).run() }
    await awaited.wait()
    task.cancel()
    #expect(await task.value.report.cancellation == .task)
    let other = waiting(watched).start()
    await watched.wait()
    other.progress.cancel()
    #expect(await other.outcome.report.cancellation == .progress)
    let step = await Flow().add("stop") { _ in throw CancellationError() }.run().report
    #expect(step.cancellation == .step(name: "[stop]", path: "1. stop", item: nil))
    let item = await Flow().forEach(in: [1]) { _, _ in throw CancellationError() }.run().report
    #expect(item.cancellation == .step(name: "[forEach #1]", path: "1. forEach", item: 0))
  }

  // MARK: Ended early

  @Test func `ending early is told, with what the keys held and what was skipped`() async throws {
    let outcome = await Flow().recording(.none).set("target", to: "film")
      .add("a") { _ in }
      .cases(on: "target") { $0.when("web") { $0.add("w") { _ in fail("ran") } } }
      .add("b") { _ in fail("ran") }
      .forEach(in: [1]) { _, _ in fail("ran") }
      .run()
    #expect(outcome.isSuccess)
    let early = try #require(outcome.report.earlyEnds.first)
    #expect(early.path == "2. Cases" && early.ended == nil && early.held == "<target> is <film>.")
    #expect(early.skipped == ["3. b", "4. forEach"])
    #expect(outcome.report.steps.map(\.end) == [.succeeded, .succeeded, .skipped, .skipped, .skipped])
    #expect(
      lastLine(outcome.report)
        == "Flow isSuccess: true, ended early at 2. Cases: <target> is <film>. 2 steps were skipped."
    )
  }

  @Test func `an inner flow that ends early skips its own steps only`() async throws {
    let inner = Flow("inner").cases(on: "target") { $0.when("web") { $0.add("w") { _ in } } }.add("skipped") { _ in }
    let report = await Flow().add(flow: inner).add("goes on") { _ in }.run().report
    let early = try #require(report.earlyEnds.first)
    #expect(early.ended == "1. inner" && early.skipped == ["1. inner > 2. skipped"])
    #expect(report.steps.map(\.end) == [.succeeded, .succeeded, .skipped, .skipped, .succeeded])
    #expect(early.held == "<target> is missing.")
  }

  @Test func `cases within a branch skip what comes behind both`() async {
    let report = await Flow().set("a", to: "1").set("b", to: "2").cases(on: "a") {
      $0.when("1") {
        $0.cases(on: "b") { $0.when("1") { $0.add("w") { _ in } } }
        $0.add("x") { _ in }
      }
    }.add("y") { _ in }.run().report
    #expect(report.earlyEnds.map(\.skipped) == [["1. Cases > a=1 > 2. x", "2. y"]])
  }

  @Test func `where nothing was skipped, the summary ends as ever`() async {
    let report = await Flow().cases(on: "target") { $0.when("web") { $0.add("w") { _ in } } }.run()
      .report
    #expect(report.earlyEnds.map(\.skipped) == [[]])
    #expect(lastLine(report) == "Flow isSuccess: true")
  }

  @Test func `what a sensitive key held is hidden, also if that turns out later`() async {
    let key = FlowKey<String>("pin", sensitive: true)
    let inner = Flow("inner").cases(on: "pin") { $0.when("1") { $0.add("w") { _ in } } }.add("skipped") { _ in }
    let report = await Flow().add("set") { $0["pin" as FlowKey<String>] = "opensesame" }
      .add(flow: inner).add("mark") { $0[key] = "other" }.run().report
    #expect(report.earlyEnds.map(\.held) == ["<pin> is <redacted>."])
    #expect(!lastLine(report).contains("opensesame"))
  }
}
