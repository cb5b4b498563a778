import Foundation
import OperationFlow
import OperationFlowReports
import OperationFlowTesting
import TestSupport
import Testing

/// Summaries number lines that would look alike, sort lines by their subject, and hide no warning.
@Suite(.watched) struct NumberedAttemptsTests {
  @Test func `the attempts after the first have their numbers in a summary`() async {
    let outcome = await Flow("f").add("send", .retry(.attempts(3))) { context in
      if context.attempt < 3 { throw TestError(name: "no") }
    }.run()
    let lines = outcome.report.summary(style: .withoutTimes).split(separator: "\n").filter { $0.hasPrefix("[send]") }
    #expect(
      lines == [
        "[send] WillStart", "[send] DidFinish: withError: TestError(no)",
        "[send] WillStart (attempt 2)", "[send] DidFinish (attempt 2): withError: TestError(no)",
        "[send] WillStart (attempt 3)", "[send] DidFinish (attempt 3): successfully",
      ])
  }

  @Test func `failed items are listed by their index, whichever ended first`() async {
    let second = Signal()
    let outcome = await Flow("f").forEach(in: [0, 1], width: 2, tolerating: .all) { (item: Int, _) in
      if item == 0 { await second.wait() } else { second.fire() }
      throw TestError(name: "\(item)")
    }.run()
    let summary = outcome.report.summary(style: .brief)
    let items = summary.split(separator: "\n").filter { $0.hasPrefix("    #") }
    #expect(items == ["    #1 0: TestError(0)", "    #2 1: TestError(1)"])
    let places = ["TestError(0)", "TestError(1)"].map { outcome.report.record.page.range(of: $0)?.lowerBound }
    #expect(places.allSatisfy { $0 != nil } && (places[0] ?? summary.startIndex) < (places[1] ?? summary.startIndex))
  }

  @Test func `the first line of a brief summary counts warnings`() async {
    let outcome = await Flow("f").add("a") { context in
      context.log("careful", level: .warning)
      context.log("fine")
    }.run()
    let first = outcome.report.summary(style: .brief).prefix { $0 != "\n" }
    #expect(first.hasPrefix("f: succeeded after ") && first.hasSuffix(", 1 warning"))
  }

  @Test func `a summary, a detailed one and a page have one text for the duration of a run`() {
    let ending = FlowRecord.Ending(result: .succeeded, duration: .seconds(6_032), text: "", failure: nil)
    let record = FlowRecord(flowName: "f", steps: [], events: [], ending: ending)
    let texts = [record.summary(style: .brief), record.summary(style: .detailed), record.page]
    #expect(texts.allSatisfy { $0.contains("1 h 41 min") })
  }
}
