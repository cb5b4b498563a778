/// An operation object runs once, so it can stand in a flow once.
enum UsedTwiceRule: ValidationRule {
  static func problems(in blueprint: Blueprint) -> [FlowProblem] {
    var seen: Set<ObjectIdentifier> = []
    return blueprint.steps.compactMap { step in
      guard let operation = step.instance?.held, !seen.insert(ObjectIdentifier(operation)).inserted else { return nil }
      return FlowProblem(
        severity, .operationUsedTwice, at: FlowPath(step.name), "The same operation object is added twice.",
        remedy: "Make an operation for each step: add(\(step.name)()) without a label makes one.")
    }
  }
}
