import OperationFlow
import TestSupport
import Testing

/// The texts of summaries about groups and their failures.
@Suite(.watched) struct FailureTextTests {
  private let results: FlowKey<[Int]> = "results"

  private func lines(_ numbers: [Int], _ tolerance: FlowTolerance) async -> [String] {
    await Flow().forEach(in: numbers, into: results, width: 1, tolerating: tolerance, .named("numbers")) { item, _ in
      if item < 0 { throw TestError() }
      if item == 0 { throw CancellationError() }
      return item
    }.run().report.lines
  }

  @Test func `a group in which none failed says what the predecessor's says`() async {
    #expect(await lines([1, 2], .all).contains("[numbers] all finished. output size: 2"))
    #expect(await lines([1, -1, 2], .none).contains("[Group] not allow failure in group. stop immediately."))
  }

  @Test func `a group says how many were tolerated, and how many were too many`() async {
    #expect(await lines([1, -1, 2], .all).contains("[numbers] 2 of 3 succeeded, 1 failed"))
    #expect(await lines([1, -1, 0, 2], .failures(2)).contains("[numbers] 2 of 4 succeeded, 1 failed, 1 cancelled"))
    let stopped = await lines([1, -1, -1, 2], .failures(1))
    #expect(stopped.contains("[Group] 2 failed, 1 tolerated: stopping"))
    #expect(!stopped.contains { $0.contains("not allow failure") })
  }

  @Test func `a group that keeps no outputs tells of its failures as well`() async {
    let failing = await Flow().forEach(in: [1, -1], tolerating: .all) { item, _ in if item < 0 { throw TestError() } }
      .run()
    #expect(failing.report.lines.contains("[forEach] 1 of 2 succeeded, 1 failed"))
    let fine = await Flow().forEach(in: [1, 2]) { _, _ in }.run()
    #expect(!fine.report.lines.contains { $0.contains("all finished") })
  }

  @Test func `of a sequence that was not read to its end, no total is told`() async {
    let report = await Flow().forEach(in: 0..., width: 1, .named("numbers")) { (number: Int, _) in
      if number == 2 { throw TestError() }
    }.run().report
    let items = report.steps.first?.items
    #expect(items?.total == nil && items?.succeeded == 2 && items?.failed == 1)
    #expect(report.summary(style: .brief).contains("2 succeeded, 1 failed"))
    #expect(!report.summary(style: .brief).contains("2 of"))
  }

  @Test func `the header has the flow's name, unless it has none`() async {
    let named = await Flow("Upload").add("a") { _ in }.run().report
    #expect(named.summary.hasPrefix("====== Flow Summary: Upload ======\n"))
    let unnamed = Flow().add("a") { _ in }
    _ = await unnamed.run()
    #expect(unnamed.generateSummary().hasPrefix("====== Flow Summary ======\n"))
  }

  @Test(arguments: [FlowRecording.standard, .everything]) func `5,000 failures of 10,000 items are listed in part`(
    recording: FlowRecording
  ) async {
    let outcome = await Flow().recording(recording)
      .forEach(in: 0..<10_000, width: 1, tolerating: .all, .named("numbers")) { index, context in
        if index.isMultiple(of: 2) {
          context.log("fails")
          throw TestError(name: String(repeating: "x", count: 100))
        }
      }.run()
    let report = outcome.report
    #expect(report.itemFailures.count == 5_000)
    let lines = report.summary(style: .events).split(separator: "\n")
    #expect(lines.count { $0.contains("DidFinish: withError") } == 20)
    #expect(lines.count { $0.contains("] fails") } == 20)
    let rest = "[Record] 4980 more failed items of 1. numbers are not listed; the report has them"
    #expect(lines.count { $0.hasSuffix(rest) } == 1)
    #expect(lines.contains { $0.hasSuffix("[numbers] 5000 of 10000 succeeded, 5000 failed") })
    if recording == .standard { #expect(report.summary(style: .events).utf8.count < 100_000) }
    // The record has more than the summary lists.
    #expect(report.events.count { $0.source.item != nil } > lines.count)
  }
}
