import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// Counts are those of the run, however little its record contains.
@Suite(.watched) struct CountedTests {
  private func outcome(_ recording: FlowRecording) async -> FlowOutcome {
    await Flow("Counted").recording(recording)
      .forEach(
        in: 0..<400, width: 4, tolerating: .all, .named("items"), .retry(.attempts(3)), .undo { _ in },
        .recover { error, _ in if error as? TestError == TestError(name: "fails") { throw error } }
      ) { number, context in
        let mayEnd = number % 4 == 3 || number % 4 == 2 && context.attempt > 1
        if !mayEnd { throw TestError(name: number % 4 == 0 ? "fails" : "recovers") }
      }
      .add("last") { _ in throw TestError() }.run()
  }

  @Test func `a bounded record has the counts of a whole one, also when it was saved`() async throws {
    let whole = await outcome(.everything)
    for recording in [FlowRecording.bounded(first: 10, last: 10), .none] {
      let bounded = await outcome(recording)
      let record = bounded.report.record
      let saved = try FlowRecord(jsonLines: record.jsonLines())
      for (summary, plain) in [
        (bounded.report.summary(style: .brief), whole.report.summary(style: .brief)),
        (saved.summary(style: .brief), whole.report.record.summary(style: .brief)),
      ] {
        for text in ["300 tried again", "100 recovered"] {
          #expect(summary.contains(text) && plain.contains(text), "\(summary)")
        }
        #expect(!summary.contains("at least"), "\(summary)")
      }
      let name = FlowMetrics.StepName(flow: "Counted", step: "items")
      #expect(saved == record && record.cause?.undoneCount == whole.report.record.cause?.undoneCount)
      #expect(FlowMetrics(whole.report.record).items[name]?.attempts == 200 * 3 + 100 * 2 + 100)
      if recording != .none { #expect(FlowMetrics(saved).items[name]?.attempts == 200 * 3 + 100 * 2 + 100) }
    }
  }

  @Test func `a record of an earlier version is counted from its events`() async throws {
    let record = await outcome(.everything).report.record
    let lines = String(decoding: try record.jsonLines(), as: UTF8.self)
    let old = lines.replacing(#/,"followUps":{[^}]*}|"followUps":{[^}]*},/#, with: "")
    let read = try FlowRecord(jsonLines: Data(old.utf8))
    #expect(old != lines && read.summary(style: .brief) == record.summary(style: .brief))
  }

  @Test func `the wait for a permit is no work, and has a metric of its own`() async throws {
    let (clock, mayEnd) = (SetClock(), Signal())
    let limiter = FlowLimiter(atMost: 1)
    let holder = Task { try await limiter.withPermit { await mayEnd.wait() } }
    while limiter.waitingCount == 0, clock.steps.sleeperCount == 0 {
      // The holder has the permit as soon as another caller has to wait.
      let probe = Task { try await limiter.withPermit {} }
      for _ in 0..<100 { await Task.yield() }
      probe.cancel()
      if case .failure = await probe.result { break }
    }
    let run = Flow("L").clock(clock).add("ask", .limited(by: limiter), .timeout(.seconds(60))) { _ in
      clock.advance(by: .milliseconds(5))
    }.start()
    while run.waitingFor.first?.reason != .limit { await Task.yield() }
    clock.advance(by: .seconds(1))
    mayEnd.fire()
    let record = await run.outcome.report.record
    _ = await holder.result
    #expect(record.steps.first?.duration == .milliseconds(5))
    let step = FlowMetrics(record).steps[FlowMetrics.StepName(flow: "L", step: "ask")]
    #expect(step?.durations.sum == .milliseconds(5) && step?.waits.sum == .seconds(1))
    let text = FlowMetrics(record).prometheusText
    #expect(text.contains("flow_step_wait_seconds_sum{flow=\"L\",step=\"ask\"} 1\n"), "\(text)")
  }
}
