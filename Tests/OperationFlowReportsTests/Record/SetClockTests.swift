import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// Sets the date during a run: durations are those of a clock that can't be set, and dates are those of the set date.
@Suite(.watched) struct SetClockTests {
  /// Runs a step of 100 ms, items of 20 ms and a failed attempt, and moves the date meanwhile.
  private func outcome(setting time: Duration, _ clock: SetClock) async -> FlowOutcome {
    await Flow("Set").clock(clock)
      .add("first") { _ in
        clock.advance(by: .milliseconds(100))
        clock.set(by: time)
      }
      .forEach(in: 0..<3, width: 1, .named("items")) { _, _ in
        clock.advance(by: .milliseconds(20))
        clock.set(by: time)
      }
      .add("retried", .retry(.attempts(2))) { context in
        clock.advance(by: .milliseconds(50))
        clock.set(by: time)
        if context.attempt == 1 { throw TestError() }
      }.run()
  }

  @Test(arguments: [Duration.seconds(7_200), .seconds(-7_200), .zero])
  func `all durations of a run are those of the time that has passed`(time: Duration) async throws {
    let outcome = await outcome(setting: time, SetClock())
    let (report, record) = (outcome.report, outcome.report.record)
    let times = [Duration.milliseconds(100), .milliseconds(60), .milliseconds(100)]
    #expect(report.duration == .milliseconds(260) && record.ending?.duration == .milliseconds(260))
    #expect(report.steps.map { $0.duration?.inMicroseconds } == times)
    #expect(record.steps.map(\.duration) == times)
    let text = report.summary(style: .detailed)
    for duration in ["100 ms", "60 ms", "260 ms"] { #expect(text.contains(duration), "\(text)") }
    #expect(!text.contains(" h,") && !text.contains("ran 0"), "\(text)")
    let metrics = FlowMetrics(record)
    let items = metrics.items[FlowMetrics.StepName(flow: "Set", step: "items")]
    #expect(items?.durations.sum == .milliseconds(60) && items?.attempts == 3)
    let plain = await self.outcome(setting: .zero, SetClock()).report.record
    #expect(Self.withoutRun(record.traceEvents()) == Self.withoutRun(plain.traceEvents()))
    // The saved record has the same durations and dates.
    let saved = try FlowRecord(jsonLines: try record.jsonLines())
    #expect(saved == record && saved.traceEvents() == record.traceEvents())
  }

  private static func withoutRun(_ trace: Data) -> String {
    String(decoding: trace, as: UTF8.self).replacing(#/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/#, with: "")
  }

  @Test func `dates are those that the clock showed`() async throws {
    let clock = SetClock()
    let events = await outcome(setting: .seconds(7_200), clock).report.events
    let dates = events.map { $0.date.timeIntervalSince(SetClock.start) }
    #expect(dates.first == 0 && abs((dates.last ?? 0) - (6 * 7_200 - 7_200 + 7_200 + 0.26)) < 7_201)
    #expect(abs((dates.last ?? 0) - clock.date.timeIntervalSince(SetClock.start)) < 0.001)
    let ended = try #require(events.first { $0.source.name == "first" && $0.kind == .finished(.successfully) })
    #expect(abs(ended.date.timeIntervalSince(SetClock.start) - 7_200.1) < 0.001)
  }

  @Test func `what a run waits for, and for how long, goes by the time that has passed`() async throws {
    let (clock, began, mayEnd) = (SetClock(), Signal(), Signal())
    let run = Flow("Waits").clock(clock).add("wait") { _ in await began.fire(thenAwait: mayEnd) }.start()
    await began.wait()
    clock.advance(by: .seconds(3))
    clock.set(by: .seconds(7_200))
    let diagnosis = run.diagnosis()
    #expect(diagnosis.quietDuration == .seconds(3) && diagnosis.date == clock.date)
    #expect("\(diagnosis)".contains("wait runs, for 3 s"), "\(diagnosis)")
    #expect(diagnosis.waiting.first?.since == SetClock.start)
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
  }
}
