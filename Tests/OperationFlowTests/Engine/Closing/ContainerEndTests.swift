import OperationFlow
import OperationFlowReports
import OperationFlowTesting
import TestSupport
import Testing

/// The end of steps that contain others, in a run that does not succeed.
@Suite(.watched) struct ContainerEndTests {
  private let clock = ManualClock()

  private func sleep(_ seconds: Int) -> @Sendable (FlowContext) async throws -> Void {
    { [clock] _ in try await clock.sleep(for: .seconds(seconds)) }
  }

  /// Returns a flow whose undo and whose `always` steps each need a minute.
  ///
  /// Its last step needs a second before it fails.
  private func flow(failing: (Flow) -> Flow) -> Flow {
    let undo = sleep(60)
    return failing(Flow("Trip").set("target", to: "web").add("book", .undo { try await undo($0) }) { _ in })
      .always { $0.add("clean up", run: sleep(60)) }
  }

  private func fails(_ flow: Flow) -> Flow {
    let sleep = sleep(1)
    return flow.add("fails") { context in
      try await sleep(context)
      throw TestError()
    }
  }

  private func durations(_ report: FlowReport) -> [String: Duration] {
    report.steps.reduce(into: [:]) { $0[$1.name] = $1.duration }
  }

  @Test func `an inner flow ends with what has failed in it, before undos and what always runs`() async throws {
    let outcome = await flow { $0.add(flow: fails(Flow("inner"))) }.run(on: clock)
    #expect(
      outcome.report.lines.filter { !$0.contains("DataBucket") }.dropFirst(2) == [
        "[inner] WillStart", "[fails] WillStart", "[fails] DidFinish: withError: TestError(test)",
        "[inner] DidFinish: withError: TestError(test)", "[book] Undo WillStart",
        "[book] Undo DidFinish: successfully", "[Always] WillStart", "[clean up] WillStart",
        "[clean up] DidFinish: successfully", "[Always] DidFinish: successfully",
      ])
    #expect(durations(outcome.report)["inner"] == .seconds(1) && outcome.report.duration == .seconds(121))
  }

  @Test func `cases fail with the branch that they took, and end with it`() async throws {
    let flow = flow { flow in
      flow.cases(on: "target") {
        $0.when("print") { $0.add("p") { _ in } }
        $0.when("web") { _ = fails($0) }
      }
    }
    let report = await flow.run(on: clock).report
    let cases = try #require(report.steps.first { $0.kind == .cases })
    #expect(cases.end == .failed && cases.duration == .seconds(1))
    let states = report.record.steps.filter { $0.kind == .branch || $0.kind == .cases }.map(\.state)
    #expect(states == [.failed, .skipped, .failed])
    #expect(report.steps.first { $0.name == "p" }?.end == .skipped)
  }

  @Test func `cases that succeed take as long as their branch`() async throws {
    let flow = Flow().set("target", to: "web")
      .cases(on: "target") { $0.when("web") { $0.add("works", run: sleep(3)) } }
      .add("after", run: sleep(2))
    let report = await flow.run(on: clock).report
    #expect(report.steps.first?.end == .succeeded && report.steps.first?.duration == .seconds(3))
    #expect(report.record.steps.map(\.state) == [.succeeded, .succeeded, .succeeded, .succeeded])
  }

  @Test func `a group that fails ends with its last item`() async throws {
    let sleep = sleep(1)
    let flow = flow { flow in
      flow.forEach(in: 0..<5, width: 1) { item, context in
        try await sleep(context)
        if item == 2 { throw TestError() }
      }
    }
    let report = await flow.run(on: clock).report
    let group = try #require(report.steps.first { $0.items != nil })
    #expect(group.end == .failed && group.duration == .seconds(3))
  }

  @Test func `a step that waits for its next attempt ends when the run is cut off`() async throws {
    let flow = flow { flow in
      flow.addParallel(
        "both",
        [
          "retried": Flow().add("flaky", .retry(.attempts(9, delay: .seconds(600)))) { _ in throw TestError() },
          "failing": fails(Flow()),
        ])
    }
    let report = await flow.run(on: clock).report
    let flaky = try #require(report.steps.first { $0.name == "flaky" })
    #expect(flaky.end == .cancelled && flaky.duration == .seconds(1))
  }

  @Test func `what contains nothing more that is at work ends, whatever still runs beside it`() async throws {
    let flow = flow { flow in
      let beside = Flow("beside").add("works") { [clock] _ in
        // This task isn't cancelled with the step.
        await Task { try? await clock.sleep(for: .seconds(10)) }.value
      }
      return flow.addParallel(
        "both", ["failing": Flow().add(flow: fails(Flow("inner"))), "stubborn": Flow().add(flow: beside)])
    }
    let report = await flow.run(on: clock).report
    let durations = durations(report)
    let (beside, both) = (try #require(durations["beside"]), try #require(durations["both"]))
    #expect(durations["inner"] == .seconds(1) && beside >= .seconds(10) && both == beside)
    #expect(report.steps.first { $0.name == "beside" }?.end == .cancelled)
  }

  @Test func `what a cancelled run had open ends before undos and what always runs`() async throws {
    let begun = Signal()
    let flow = flow { flow in
      flow.cases(on: "target") {
        $0.when("web") {
          $0.add(
            flow: Flow("inner").add("waits") { _ in
              await begun.fireUntilCancelled()
              throw CancellationError()
            })
        }
      }
    }
    let run = flow.clock(clock).start()
    await begun.wait()
    run.cancel()
    await clock.advance(by: .seconds(121))
    let report = await run.outcome.report
    #expect(report.steps.map(\.end) == [.succeeded, .cancelled, .cancelled, .cancelled, .succeeded, .succeeded])
    #expect(durations(report)["inner"] == .zero)
    let lines = report.lines
    let (end, undo) = (
      lines.firstIndex(of: "[inner] DidFinish: cancelled"), lines.firstIndex(of: "[book] Undo WillStart")
    )
    #expect(try #require(end) < #require(undo))
  }
}
