import Foundation
import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct OutcomeTests {
  @Test func `a success has its report and no error`() async throws {
    let outcome = await Flow("Good").add("step") { $0["a"] = 1 }.run()
    guard case .succeeded(let report) = outcome else { return fail("\(outcome)") }
    #expect(outcome.isSuccess && outcome.error == nil && report.flowName == "Good")
    #expect(try outcome.get()["a"] == 1 && outcome.get()["a" as FlowKey<String>] == nil)
  }

  @Test func `a failure has its error, as it was thrown, and its report`() async {
    final class ObjectError: Error, Sendable {}
    let thrown = ObjectError()
    let outcome = await Flow("Bad").add("step") { context in
      context["a"] = 1
      throw thrown
    }.run()
    guard case .failed(let error, let report) = outcome else { return fail("\(outcome)") }
    #expect(
      !outcome.isSuccess && error as? ObjectError === thrown
        && outcome.error as? ObjectError === thrown)
    #expect(report["a"] == 1)
    #expect(throws: ObjectError.self) { try outcome.get() }
  }

  @Test func `a cancelled run has its report, and throws a cancellation error`() async {
    let run = Flow("Stopped").add("step") { _ in await untilCancelled() }.start()
    run.cancel()
    let outcome = await run.outcome
    guard case .cancelled(let report) = outcome else { return fail("\(outcome)") }
    #expect(
      !outcome.isSuccess && outcome.code == .cancelled
        && (outcome.error as? FlowError)?.flow == "Stopped")
    #expect(report.summary.contains("Flow isSuccess: false"))
    #expect(throws: CancellationError.self) { try outcome.get() }
  }

  @Test func `several can wait for one outcome, before and after the end, and get the same`() async {
    let run = Flow().add(LaterOp()).add("step") { $0["a"] = 1 }.start()
    await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<50 { group.addTask { await run.outcome.report["a"] } }
      for await value in group { #expect(value == 1) }
    }
    #expect(await run.outcome.report.events.count == run.currentOutcome?.report.events.count)
  }

  @Test func `an error says where, what, and what to do`() async {
    let outcome = await Flow("Publish").add(BlockOp("login") { let _: Int? = $0.getData(name: "id") }).run()
    let text =
      "flow \"Publish\", step [login]: can't find <id> in data bucket. "
      + "Set <id> in the flow's data bucket, or in a step that comes before."
    #expect("\(outcome.error as Any)" == "Optional(\(text))")
    #expect(outcome.error?.localizedDescription == text)
  }

  @Test func `a place that is known is not written over`() async throws {
    let known = FlowError(.missingData, "p", remedy: "r", flow: "inner", step: "s")
    let error = try #require(await Flow("outer").add("t") { _ in throw known }.run().error as? FlowError)
    #expect(error.flow == "inner" && error.step == "s")
    #expect(error.description == "flow \"inner\", step s: p. r")
    #expect(FlowError(.cancelled, "p.", remedy: "r").description == "p. r")
  }

  @Test func `a long error is cut in the record, and whole in the outcome`() async {
    let error = TestError(name: String(repeating: "x", count: 100_000))
    let outcome = await Flow().step { $0.finishWithError(error: error) }.run()
    #expect(outcome.error as? TestError == error)
    #expect(outcome.report.summary.count < 3_000)
  }
}

@Suite(.watched) struct ReportTests {
  @Test func `the duration is the time between start and end`() async {
    let clock = ContinuousClock()
    let before = clock.now
    let outcome = await Flow().add("step") { _ in
      let end = ContinuousClock.now + .milliseconds(2)
      while ContinuousClock.now < end {}
    }.run()
    #expect(outcome.report.duration >= .milliseconds(2))
    #expect(outcome.report.duration <= clock.now - before)
  }

  @Test func `steps are counted as they are run, a group as one`() async {
    let flow = Flow().add("a") { _ in }.add(SuccessOp()).forEach(in: 0..<10) { _, _ in }.add("b") {
      _ in
    }
    #expect(await flow.run().report.stepCount == 4)
    let failing = Flow().add("a") { _ in }.add("b") { _ in throw TestError() }.add("c") { _ in }
    #expect(await failing.run().report.stepCount == 2)
  }

  @Test func `a step that was never started is not counted`() async {
    let hasBegun = Signal()
    let run = Flow().add("a") { _ in await hasBegun.fireUntilCancelled() }.add("b") { _ in }.start()
    await hasBegun.wait()
    run.pause()
    run.cancel()
    #expect(await run.outcome.report.stepCount == 1)
    let early = await MainActor.run {
      let run = Flow().setWillStartBlock { _ in }.add("a") { _ in fail("ran") }.start()
      run.cancel()
      return run
    }
    #expect(await early.outcome.report.stepCount == 0)
    let held = Flow().add("first") { _ in }.add("second") { _ in }
    let handle = Locked<FlowRun?>(nil)
    held.add("third") { _ in handle.withLock { $0 }?.pause() }.add("fourth") { _ in fail("ran") }
    let ready = Signal()
    let third = Flow().add("gate") { _ in await ready.wait() }.add(flow: held).start()
    handle.withLock { $0 = third }
    ready.fire()
    for await event in third.events {
      if event.source.name == "third", case .finished = event.kind { break }
    }
    third.cancel()
    // The gate, the flow, and three of its steps.
    #expect(await third.outcome.report.stepCount == 5)
  }

  @Test func `the data is that of the end, and typed keys read it`() async {
    let outcome = await Flow().set("a", to: 1).set("gone", to: 1).add("step") { context in
      context["a"] = 2
      context["b"] = "text"
      context["gone" as FlowKey<Int>] = nil
    }.run()
    #expect(outcome.report.data.keys.sorted() == ["a", "b"])
    #expect(outcome.report["a"] == 2)
    #expect(outcome.report["b"] == "text")
    #expect(outcome.report["b" as FlowKey<Int>] == nil)
    #expect(outcome.report["gone" as FlowKey<Int>] == nil)
  }

  @Test func `the events are all, and the summary has a line for each`() async {
    let outcome = await Flow().add("a") { $0.log("line") }.run()
    let report = outcome.report
    let texts = ["start with:", "WillStart", "line", "DidFinish: successfully", "end with:"]
    #expect(report.events.map(\.kind.summaryText) == texts)
    #expect(report.summary.split(separator: "\n").count == report.events.count + 3)
    let exact = report.summary(style: FlowSummaryStyle(timeStyle: .iso8601, timeZone: .gmt))
    #expect(exact.contains("T") && exact.contains("+0000 [a] line"))
  }

  @Test func `a report is fixed, whatever the flow does afterwards`() async {
    let flow = Flow().add("step") { context in context.update("a", default: 0) { $0 += 1 } }
    let first = await flow.run()
    flow.setData(name: "a", value: 10)
    flow.log(message: "late")
    _ = await flow.run()
    #expect(first.report["a"] == 1)
    #expect(!first.report.summary.contains("late"))
  }

  @Test func `items that are cancelled with their group stand among the failures as cancelled`()
    async
  {
    let meeting = Meeting(size: 3)
    let outcome = await Flow().forEach(in: 0..<3, width: 3) { index, context in
      await meeting.attend()
      if index == 1 { throw TestError() }
      await untilCancelled()
      try context.checkCancellation()
    }.run()
    let failures = outcome.report.itemFailures
    #expect(failures.first?.index == 1)
    #expect(failures.dropFirst().allSatisfy { ($0.error as? FlowError)?.code == .cancelled })
  }
}
