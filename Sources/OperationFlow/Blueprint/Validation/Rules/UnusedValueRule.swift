/// A value that can't have the type of an optional input, or of one with a default, is never used.
enum UnusedValueRule: ValidationRule {
  static let severity = FlowProblem.Severity.warning

  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    MismatchedInputRule.mismatches(at: place) { !$0.isRequired }.map { input, asked, found in
      FlowProblem(
        severity, .mismatchedData, at: place.path,
        "<\(input.name)> is read as <\(asked)>, but \(found): the step goes on without that value.",
        remedy: "Write a value that can be read as \(asked), or read it as what is written.", key: input.name)
    }
  }
}
