/// A flow without steps does nothing.
enum EmptyFlowRule: ValidationRule {
  static let severity = FlowProblem.Severity.warning

  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    guard whole.blueprint.steps.isEmpty, whole.blueprint.blocks[Blueprint.root].isUnfilled else { return [] }
    return [
      FlowProblem(
        severity, .emptyFlow, at: "the flow", "It has no steps.", remedy: "Add a step, or do not start the flow.")
    ]
  }
}
