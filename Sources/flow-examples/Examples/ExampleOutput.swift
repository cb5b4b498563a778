import Foundation
import OperationFlow

/// An example's output: texts in full, such as summaries, and a line for each thing that failed as it was meant to.
final class ExampleOutput: @unchecked Sendable {
  // Invariant of the unchecked conformance: everything is used under `lock` only.
  private let lock = NSLock()
  private var shown: [String] = []
  private var said: [String] = []
  private var failed: [String] = []
  private var recorded: [FlowRecord] = []

  /// What is printed if the example is run in full, or if it fails.
  var texts: [String] { lock.withLock { shown } }
  /// What is always printed.
  var lines: [String] { lock.withLock { said } }
  /// What failed as the example means it to, with its error.
  var failures: [String] { lock.withLock { failed } }

  /// The records of its runs.
  var records: [FlowRecord] { lock.withLock { recorded } }

  /// Shows a text if examples are run in full.
  func show(_ text: String) { lock.withLock { shown.append(text) } }

  /// Shows the summary of a run, and notes what failed in it.
  func show(_ outcome: FlowOutcome) {
    show(outcome.report.record)
    noteFailures(of: outcome)
  }

  /// Shows the steps of a record, which is too long to be shown in full.
  func showSteps(of record: FlowRecord) { lock.withLock { recorded.append(record) } }

  /// Shows the summary of a record: in full, or its steps alone.
  func show(_ record: FlowRecord) {
    show(record.summary())
    lock.withLock { recorded.append(record) }
  }

  /// Notes what failed in a run.
  func noteFailures(of outcome: FlowOutcome) {
    for failure in outcome.report.itemFailures {
      // An item that is not named after its input is shown with it.
      let input = failure.name.contains("\(failure.input)") ? "" : " \(failure.input):"
      note("\(failure.name)\(input) \(failure.error)")
    }
    if let error = outcome.error { note("\(error)") }
  }

  /// Shows the summary of a flow that has ended, and notes what it failed with.
  func show(_ flow: Flow) {
    show(flow.record)
    if let error = flow.error { note("\(error)") }
  }

  /// Adds a line that is always printed.
  func say(_ line: String) { lock.withLock { said.append(line) } }

  private func note(_ failure: String) { lock.withLock { failed.append(failure) } }
}
