import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Where a run failed, what cancelled it, and where it ended early.
@Suite(.watched) struct EndingTests {
  /// The line of the summary that says how the run ended.
  private func lastLine(_ report: FlowReport) -> String {
    String(report.summary.split(separator: "\n").last { $0.hasPrefix("Flow isSuccess:") } ?? "")
  }

  // MARK: Failed

  @Test func `an item's failure is named, with an error of one's own type`() async throws {
    let outcome = await Flow("Lengths").recording(.none).set("words", to: ["a", "bb", "", "d"])
      .cases(on: "words") {
        $0.otherwise {
          $0.forEach("words" as FlowKey<[String]>, width: 1) { word, _ in
            if word.isEmpty { throw TestError(name: "empty") }
          }
        }
      }
      .run()
    let failure = try #require(outcome.failure)
    #expect(failure.name == "[words #2]" && failure.item == 2 && failure.attempt == 1)
    #expect(failure.path == "1. Cases > otherwise > 1. words")
    #expect(failure.error as? TestError == TestError(name: "empty"))
    #expect(failure.duration >= .zero && failure.duration <= outcome.report.duration + .milliseconds(1))
    #expect(lastLine(outcome.report) == "Flow isSuccess: false, failed in [words #2]: TestError(empty)")
  }

  @Test func `an operation's failure has its name, and a library's error says its place once`() async throws {
    let outcome = await Flow("Greeting").add(BlockOp("login") { let _: Int? = $0.getData(name: "id") }).run()
    #expect(
      lastLine(outcome.report)
        == "Flow isSuccess: false, failed in [login]: can't find <id> in data bucket. "
        + "Set <id> in the flow's data bucket, or in a step that comes before.")
    #expect(outcome.failure?.path == "1. BlockOp")
  }

  @Test func `a stream that throws fails its group`() async {
    let items = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: TestError()) }
    let outcome = await Flow().forEach(in: items) { _, _ in }.run()
    #expect(outcome.failure?.name == "[forEach]" && outcome.failure?.item == nil)
  }

  @Test func `a success, and a cancelled run, have not failed`() async {
    let success = await Flow().add("a") { _ in }.run()
    #expect(success.failure == nil && success.report.cancellation == nil && success.report.earlyEnds.isEmpty)
    #expect(lastLine(success.report) == "Flow isSuccess: true")
    let cancelled = await Flow().add("a") { _ in throw CancellationError() }.run()
    #expect(cancelled.failure == nil)
  }

  @Test func `an attempt is named if it was not the first`() async {
    let outcome = await Flow().add("broken", AttemptPlan(count: 2)) { _ in throw TestError() }.run()
    #expect(lastLine(outcome.report) == "Flow isSuccess: false, failed in [broken] (attempt 2): TestError(test)")
  }

  @Test func `a refused flow's summary has the step and the remedy, as its error does`() async throws {
    let outcome = await Flow("Upload").forEach(in: [1], width: 0) { _, _ in }.run()
    let error = try #require(outcome.error)
    #expect(lastLine(outcome.report) == "Flow isSuccess: false, refused: \(error)")
    #expect("\(error)".contains("step 1. forEach") && "\(error)".contains("at least 1"))
  }

  @Test func `a refusal lists so many problems and counts the rest`() async throws {
    let flow = Flow()
    for _ in 0..<1_000 { flow.forEach(in: [1], width: 0) { _, _ in } }
    let error = try #require(await flow.run().error)
    #expect("\(error)".hasSuffix("- and 980 more. Mend them; validate() lists them."))
    #expect("\(error)".utf8.count < 5_000)
  }

  @Test func `localized errors show their description`() async {
    struct NoRoom: LocalizedError {
      var errorDescription: String? { "The disk is full." }
    }
    let outcome = await Flow().add("save") { _ in throw NoRoom() }.run()
    #expect(outcome.report.lines.contains("[save] DidFinish: withError: The disk is full."))
    #expect(lastLine(outcome.report) == "Flow isSuccess: false, failed in [save]: The disk is full.")
  }

  // MARK: Cancelled

  private func waiting(_ hasBegun: Signal) -> Flow {
    Flow().add("waits") { _ in
      hasBegun.fire()
      await untilCancelled()
    }
  }

  @Test func `a cancelled run says what cancelled it`() async {
    let called = Signal()
    let run = waiting(called).start()
    await called.wait()
    run.cancel()
    #expect(await run.outcome.report.cancellation == .call)
    #expect(lastLine(await run.outcome.report) == "Flow isSuccess: false, cancelled by a call of cancel()")

    let awaited = Signal()
    let task = Task { await waiting(awaited).run() }
    await awaited.wait()
    task.cancel()
    #expect(await task.value.report.cancellation == .task)

    let watched = Signal()
    let other = waiting(watched).start()
    await watched.wait()
    other.progress.cancel()
    #expect(await other.outcome.report.cancellation == .progress)

    let step = await Flow().add("stop") { _ in throw CancellationError() }.run().report
    #expect(step.cancellation == .step(name: "[stop]", path: "1. stop", item: nil))
    #expect(lastLine(step) == "Flow isSuccess: false, cancelled by [stop]")
    let item = await Flow().forEach(in: [1]) { _, _ in throw CancellationError() }.run().report
    #expect(item.cancellation == .step(name: "[forEach #0]", path: "1. forEach", item: 0))
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
        == "Flow isSuccess: true, ended early at 2. Cases: <target> is <film>. 2 steps were skipped.")
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
    let report = await Flow().cases(on: "target") { $0.when("web") { $0.add("w") { _ in } } }.run().report
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
