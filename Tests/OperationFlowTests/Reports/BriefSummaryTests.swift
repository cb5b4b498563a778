import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct BriefSummaryTests {
  /// The lines without durations, which differ from run to run.
  private func lines(_ outcome: FlowOutcome, _ form: FlowSummaryStyle.Form = .brief(lineLimit: 24)) -> [String] {
    outcome.report.summary(style: FlowSummaryStyle(form: form)).split(separator: "\n").map {
      String($0).withoutDurations(behind: ", |: | after ")
    }
  }

  @Test func `each step has a line with what became of it, and a failed run begins with the cause`() async {
    let outcome = await Flow("Publish").setData(name: "target", value: "web")
      .cases(on: "target") {
        $0.when("web") { $0.add("shrink", .retry(.attempts(2))) { if $0.attempt == 1 { throw TestError() } } }
        $0.when("print") { $0.add("print") { _ in } }
      }
      .forEach(in: 0..<4, width: 1, tolerating: .failures(2), .named("upload")) { item, _ in
        if item % 2 == 1 { throw TestError() }
      }
      .add("publish", .reads(FlowKey<String>("target"))) { _ in throw TestError() }
      .add("notify") { _ in }
      .run()
    #expect(
      lines(outcome) == [
        "Publish: failed at 3. publish",
        "  TestError(test)",
        "  read: target = web",
        "✓ 1. Cases",
        "  ✓ target=web",
        "    ✓ 1. shrink: 2 attempts",
        "✓ 2. upload: 2 of 4 succeeded, 2 failed",
        "    #1 1: TestError(test)",
        "    #3 3: TestError(test)",
        "✗ 3. publish: failed",
        "· 4. notify: never ran",
      ])
  }

  @Test(arguments: [8, 24, 100]) func `it has at most as many lines as it may, and what failed is among them`(
    limit: Int
  ) async {
    let flow = Flow("long")
    for number in 0..<500 { flow.add("step \(number)") { _ in if number == 400 { throw TestError() } } }
    let lines = lines(await flow.run(), .brief(lineLimit: limit))
    #expect(lines.count == limit)
    #expect(lines.contains { $0.hasPrefix("✗ 401. step 400: failed") })
    #expect(lines.last == "… and \(500 - (limit - 3)) more lines")
  }

  @Test func `a group lists its first failures, and counts the others`() async {
    let outcome = await Flow("many").forEach(in: 0..<1_000, width: 2, tolerating: .all, .named("upload")) { _, _ in
      throw TestError()
    }.run()
    let lines = lines(outcome)
    #expect(lines.count == 8)
    #expect(lines[1] == "✓ 1. upload: 0 of 1000 succeeded, 1000 failed")
    #expect(lines.last == "    … and 995 more failed items")
  }

  @Test func `no line is longer than 100 characters, and none can be forged`() async {
    let name = "a\nFlow isSuccess: true\u{1B}[2J" + String(repeating: "x", count: 200)
    let outcome = await Flow(name).add("\(name)") { _ in throw TestError() }.run()
    let lines = lines(outcome)
    #expect(lines.count == 3 && lines.allSatisfy { $0.count <= 100 && !$0.contains("\u{1B}") })
    #expect(!lines.contains { $0.hasPrefix("Flow isSuccess") })
  }
}
