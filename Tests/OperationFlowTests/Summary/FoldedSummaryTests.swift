import Foundation
import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

/// Summaries of runs with large groups, and of runs that last for days.
@Suite(.watched) struct FoldedSummaryTests {
  private static func run(_ count: Int) async -> FlowReport {
    let clock = ManualClock()
    let flow = Flow("Upload").clock(clock)
      .forEach(in: 0..<count, width: 1, tolerating: .all, .named("send"), .retry(.attempts(2))) { item, context in
        if item == 3 { context.log("odd", level: .warning) }
        if item == 5 { context.log("plain") }
        if item == 7 || (item == 9 && context.attempt == 1) { throw TestError(name: "no \(item)") }
      }
      .add("index") { $0.log("written") }
    return await flow.run().report
  }

  @Test func `a group of twenty items has lines for each, and a larger one its counts, and what stands out`() async {
    let (small, large) = (await Self.run(20), await Self.run(400))
    let smallLines = small.summary(style: .withoutTimes).split(separator: "\n")
    #expect(smallLines.filter { $0.hasPrefix("[send #") }.count == small.lines.filter { $0.hasPrefix("[send #") }.count)
    let lines = large.summary(style: .withoutTimes).split(separator: "\n").map(String.init)
    #expect(lines.count < 30 && large.lines.count > 800)
    #expect(lines.contains("[send] items: 399 of 400 succeeded, 1 failed"), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("[send] slowest: #") })
    #expect(lines.contains("[send] tried again: #8 (2 attempts), #10 (2 attempts)"))
    #expect(lines.contains("[send] failed: #8 7 after 2 attempts: TestError(no 7)"))
    // A warning of an item is not left out as a detail.
    #expect(lines.contains("[send #4] warning: odd") && !lines.contains { $0.contains("plain") })
    #expect(lines.contains("[index] written"))
  }

  @Test func `the predecessor's form has a line for each event`() async {
    let report = await Self.run(30)
    let lines = report.summary(style: FlowSummaryStyle(form: .events, timeStyle: .none)).split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("[send #") }.count > 60)
  }

  @Test func `items with names of their own are called by them`() async {
    let flow = Flow("Names").forEach(in: 0..<25, width: 1, .named("send"), .retry(.attempts(2))) { item, context in
      if item == 4, context.attempt == 1 { throw TestError() }
    }
    let text = await flow.run().report.summary(style: .withoutTimes)
    #expect(text.contains("[send] tried again: #5 (2 attempts)\n"))
  }

  @Test func `a large group that was cut off, and one that never began, are told apart`() async {
    let flow = Flow("Cut").forEach(in: 0..<50, width: 1, .named("send")) { item, _ in
      if item == 30 { throw TestError(name: "full") }
    }
    .forEach(in: 0..<50, width: 1, .named("later")) { _, _ in }
    let lines = await flow.run().report.summary(style: .withoutTimes).split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("[send] items: 30 succeeded, 1 failed") }.count == 1, "\(lines)")
    #expect(lines.contains("[send] failed: #31 30: TestError(full)") && !lines.contains { $0.hasPrefix("[later]") })
  }

  @Test func `a run of several days has a line with the date before the events of each`() async throws {
    // From 08:00:00 to half a minute before midnight.
    let clock = SetClock()
    clock.set(by: .seconds(16 * 3_600 - 30))
    let flow = Flow("Days").clock(clock).add("before") { _ in clock.advance(by: .seconds(60)) }.add("after") { _ in }
    var style = FlowSummaryStyle.standard
    style.timeZone = try #require(TimeZone(identifier: "UTC"))
    let lines = await flow.run().report.summary(style: style).split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.hasPrefix("2027-") } == ["2027-01-15:", "2027-01-16:"], "\(lines)")
    #expect(lines[1] == "2027-01-15:" && lines[2].hasPrefix("11:59:30 PM "))
  }
}
