import Foundation
import OperationFlow

/// An example's output: texts in full, such as summaries, and a line for each thing that failed as it was meant to.
final class ExampleOutput: @unchecked Sendable {
  // Invariant of the unchecked conformance: everything is used under `lock` only.
  private let lock = NSLock()
  private var shown: [String] = []
  private var said: [String] = []
  private var failed: [String] = []

  /// What is printed if the example is run in full, or if it fails.
  var texts: [String] { lock.withLock { shown } }
  /// What is always printed.
  var lines: [String] { lock.withLock { said } }
  /// What failed as the example means it to, with its error.
  var failures: [String] { lock.withLock { failed } }

  /// Shows a text if examples are run in full.
  func show(_ text: String) { lock.withLock { shown.append(text) } }

  /// Shows the summary of a run, and notes what failed in it.
  func show(_ outcome: FlowOutcome) {
    show(outcome.report.summary)
    noteFailures(of: outcome)
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
    show(flow.generateSummary())
    if let error = flow.error { note("\(error)") }
  }

  /// Adds a line that is always printed.
  func say(_ line: String) { lock.withLock { said.append(line) } }

  private func note(_ failure: String) { lock.withLock { failed.append(failure) } }
}
