import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// The code of the comments of `OperationFlowReports`, and of `Docs/Reports.md`.
enum ReportComments {
  static func show(_ flow: Flow, print: Printer) async {
    let run = flow.start()
    await TerminalProgress().follow(run)
    print(await run.outcome.report.summary(style: .brief))
  }

  static func summaries(of outcome: FlowOutcome, print: Printer) {
    print(outcome.report.summary)
    print(outcome.report.summary(style: .brief))
    print(outcome.report.summary(style: .detailed))
  }
}

@Suite(.watched) struct ReportCommentTests {
  @Test func `a run is shown, and its summaries are printed`() async {
    let print = Printer()
    await ReportComments.show(Flow("Publish").add("a") { _ in }, print: print)
    let outcome = await Flow("Publish").add("a") { _ in }.run()
    ReportComments.summaries(of: outcome, print: print)
    #expect(print.texts.count == 4 && print.texts.allSatisfy { $0.contains("Publish") })
  }
}
