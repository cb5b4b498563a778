import Foundation
import OperationFlowReports
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// The texts of reports about steps that wait.
@Suite(.watched) struct WaitReportTests {
  private static func flow() -> Flow {
    Flow("Waits").add("before") { _ async throws in try await Task.sleep(for: .milliseconds(1)) }
      .wait(.seconds(60), named: "a minute").add("after") { _ in }
  }

  @Test func `the page says how long the run waited, and doesn't count it as work`() async {
    let outcome = await Self.flow().run(on: ManualClock())
    let page = outcome.report.record.page
    let start = page.range(of: "<table class=\"shares\">")?.upperBound ?? page.endIndex
    let table = page[start...].components(separatedBy: "</table>")[0]
    #expect(table.contains("before") && !table.contains("a minute"))
    #expect(table.contains("Steps that waited for a time or a signal</em></th><td class=\"number\">1 min</td>"))
  }

  @Test func `a step that waits for days is named after whole seconds`() {
    let flow = Flow().wait(.seconds(5 * 86_400)).wait(.milliseconds(250))
    #expect(flow.blueprint.steps.map(\.name) == ["wait 432000.0 seconds", "wait 0.25 seconds"])
  }

  @Test func `diagrams mark a step that waits, before a run and after it`() async {
    #expect(Self.flow().blueprint.mermaid.contains("waits"))
    let outcome = await Self.flow().run(on: ManualClock())
    #expect(outcome.report.record.mermaid.contains("waits"))
    #expect(outcome.report.record.steps.map { $0.options.contains(.wait) } == [false, true, false])
  }

  @Test func `a diagnosis says what a run waits for, and until when`() async throws {
    let clock = ManualClock()
    let signal: FlowSignal<Int> = "number"
    let run = Flow("Diagnosed").clock(clock).wait(for: signal, timeout: .seconds(90)).start()
    await clock.untilSleeping()
    let text = "\(run.diagnosis())"
    #expect(text.contains("waits for the signal number until 2001-01-01T00:01:30Z"), "\(text)")
    run.cancel()
    _ = await run.outcome
  }
}
