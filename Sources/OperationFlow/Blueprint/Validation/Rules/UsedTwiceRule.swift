/// An operation object runs once, so it can be in a flow only once.
enum UsedTwiceRule: ValidationRule {
  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    if whole.blueprint.instanceSteps.isEmpty, whole.repeatedSteps.isEmpty { return [] }
    var seen: Set<ObjectIdentifier> = []
    let added = whole.blueprint.instanceSteps.compactMap { id -> FlowProblem? in
      let step = whole.blueprint.steps[id]
      guard let operation = step.instance?.held, !seen.insert(ObjectIdentifier(operation)).inserted else { return nil }
      return FlowProblem(
        severity, .operationUsedTwice, at: FlowPath(step.name), "The same operation object is added twice.",
        remedy: "Make an operation for each step: add(\(TypeName.of(type(of: operation)))()) without a label makes one."
      )
    }
    let made = whole.repeatedSteps.map { id in
      let name = whole.blueprint.steps[id].typeName
      return FlowProblem(
        severity, .operationUsedTwice, at: whole.path(of: id),
        "Its operation is an object that another step uses too: the argument of add(_:) doesn't make a new one.",
        remedy: "Make it inside the call: add(\(name)()).")
    }
    return added + made
  }
}

/// An operation object that runs, or has run, can't run again.
///
/// Not asked when a flow starts: that reserves the operations, and says the same if it can't.
enum SpentOperationRule: ValidationRule {
  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    whole.blueprint.instanceSteps.compactMap { id in
      let step = whole.blueprint.steps[id]
      guard step.instance?.isSpent == true else { return nil }
      return FlowProblem(
        severity, .operationUsedTwice, at: whole.path(of: id), "Its operation object runs, or has run already.",
        remedy: "Make an operation for each run: add(\(step.typeName)()) without a label makes one.")
    }
  }
}
