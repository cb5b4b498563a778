import OperationFlow

extension Flow {
  /// What `validate()` finds, a line each: `error missingData at 1. CopyOp: a`.
  package var findings: [String] {
    validate().map { "\($0.severity) \($0.code) at \($0.path)" + ($0.key.map { ": \($0)" } ?? "") }
  }

  /// The same for the errors alone.
  package var faults: [String] { findings.filter { $0.hasPrefix("error") } }
}
