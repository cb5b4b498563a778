import OperationFlow
import Testing

extension Flow {
  /// What `validate()` finds, a line each: `error missingData at 1. CopyOp: a`.
  package var findings: [String] {
    validate().map { "\($0.severity) \($0.code) at \($0.path)" + ($0.key.map { ": \($0)" } ?? "") }
  }

  /// The same for the errors alone.
  package var faults: [String] { findings.filter { $0.hasPrefix("error") } }
}

/// A row of a table of flows: what it promises, the flow, and all that `validate()` finds in it, a line each.
package func check(
  _ promise: String, _ flow: Flow, _ findings: String..., sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(flow.findings == findings, "\(promise)", sourceLocation: sourceLocation)
}
