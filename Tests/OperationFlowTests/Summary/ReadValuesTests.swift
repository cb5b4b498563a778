import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// The values in summaries that a step read, if the record has left out writes.
@Suite(.watched) struct ReadValuesTests {
  private let x: FlowKey<String> = "x"
  private let y: FlowKey<Int> = "y"

  /// Returns a flow whose last step reads a value that was written among many lines, and one that was written later.
  private func flow(_ recording: FlowRecording) -> Flow {
    let (x, y) = (x, y)
    return Flow("Read").recording(recording).set(x, to: "old")
      .add("write", .writes(x)) { context in
        for number in 0..<9 {
          context.log("line \(number)")
          if number == 4 { context[x] = "new" }
        }
      }
      .add("write later", .writes(y)) { $0[y] = 2 }
      .add("read", .reads(x), .reads(y)) { _ in throw TestError() }
  }

  private func detailed(_ outcome: FlowOutcome) -> [Substring] {
    outcome.report.summary(style: .detailed).split(separator: "\n")
  }

  @Test func `a value is not recorded if no events of steps are`() async {
    let report = await flow(.none).run().report
    #expect(report.summary.contains("it read x = not recorded, y = not recorded\n"))
    #expect(report.summary(style: .brief).contains("  read: x = not recorded, y = not recorded\n"))
    #expect(report.record.cause?.inputs.map(\.text) == ["not recorded", "not recorded"])
  }

  @Test func `a value is told where all that could have written it is recorded, before or after`() async {
    let outcome = await flow(.bounded(first: 1, last: 1)).run()
    #expect(outcome.report.summary.contains("it read x = new, y = 2\n"))
    #expect(detailed(outcome).contains { $0.hasSuffix("    read: x = not recorded, y = 2") })
    let whole = await flow(.everything).run()
    #expect(detailed(whole).contains { $0.hasSuffix("    read: x = new, y = 2") })
  }

  @Test func `a value is not recorded if it may have been written both before and after`() async {
    let x = x
    let outcome = await flow(.bounded(first: 1, last: 1))
      .always {
        $0.add("write at the end") { context in
          for number in 0..<9 {
            context.log("line \(number)")
            if number == 4 { context[x] = "newest" }
          }
        }
      }.run()
    #expect(outcome.report.summary.contains("it read x = not recorded, y = 2\n"))
  }

  @Test func `why a branch was taken is not recorded if the value of its key may have been written`() async {
    let x = x
    let chosen = await Flow("Choose").recording(.bounded(first: 1, last: 1)).set(x, to: "old")
      .add("write", .writes(x)) { context in
        for number in 0..<9 {
          context.log("line \(number)")
          if number == 4 { context[x] = "web" }
        }
      }
      .cases(on: x) { $0.when("web") { $0.add("shrink") { _ in } } }.run()
    #expect(detailed(chosen).contains { $0.hasSuffix("taken: x=web, because <x> is not recorded") })
  }
}
