import OperationFlow
import Testing

extension Flow {
  /// The problems that `validate()` finds, a line each: `error missingData at 1. CopyOp: a`.
  package var findings: [String] {
    validate().map { "\($0.severity) \($0.code) at \($0.path)" + ($0.key.map { ": \($0)" } ?? "") }
  }

  /// The lines of `findings` that are errors.
  package var faults: [String] { findings.filter { $0.hasPrefix("error") } }
}

/// Checks that `validate()` finds exactly `findings` in the flow, a line each.
///
/// `promise` is what this row of a table of flows promises.
package func check(
  _ promise: String, _ flow: Flow, _ findings: String..., sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(flow.findings == findings, "\(promise)", sourceLocation: sourceLocation)
}
