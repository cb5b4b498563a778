extension Validation {
  /// An operation object runs once, so it can be in a flow only once.
  static func usedTwice(in whole: ValidationWhole) -> [FlowProblem] {
    if whole.blueprint.instanceSteps.isEmpty, whole.repeatedSteps.isEmpty { return [] }
    var seen: Set<ObjectIdentifier> = []
    let added = whole.blueprint.instanceSteps.compactMap { id -> FlowProblem? in
      let step = whole.blueprint.steps[id]
      guard let operation = step.instance?.held, !seen.insert(ObjectIdentifier(operation)).inserted else { return nil }
      return FlowProblem(
        .error, .operationUsedTwice, at: FlowPath(step.name), "The same operation object is added twice.",
        remedy: "Make an operation for each step: add(\(TypeName.of(type(of: operation)))()) without a label makes one."
      )
    }
    let made = whole.repeatedSteps.map { id in
      let name = whole.blueprint.steps[id].typeName
      return FlowProblem(
        .error, .operationUsedTwice, at: whole.path(of: id),
        "Its operation is an object that another step uses too: the argument of add(_:) doesn't make a new one.",
        remedy: "Make it inside the call: add(\(name)()).")
    }
    return added + made
  }

  /// An operation object that runs, or has run, can't run again.
  ///
  /// Not asked when a flow starts: that reserves the operations, and says the same if it can't.
  static func spentOperation(in whole: ValidationWhole) -> [FlowProblem] {
    whole.blueprint.instanceSteps.compactMap { id in
      let step = whole.blueprint.steps[id]
      guard step.instance?.isSpent == true else { return nil }
      return FlowProblem(
        .error, .operationUsedTwice, at: whole.path(of: id), "Its operation object runs, or has run already.",
        remedy: "Make an operation for each run: add(\(step.typeName)()) without a label makes one.")
    }
  }

  /// An operation waits for those that it depends on, so none of them may come after it.
  static func unmeetableDependency(in whole: ValidationWhole) -> [FlowProblem] {
    if whole.blueprint.instanceSteps.isEmpty { return [] }
    return (DependencyGraph(whole.blueprint)?.unmeetable ?? []).map { step, dependency in
      let other = dependency.map { whole.path(of: $0) }
      let text =
        dependency == step
        ? "It depends on itself."
        : "It depends on \(other.map { "\($0)" } ?? "an operation outside the flow"), which can't end before it does."
      return FlowProblem(
        .error, .unmeetableDependency, at: whole.path(of: step), text,
        remedy: "Remove the dependency, because it would wait forever: the steps of a flow run in order without any."
      )
    }
  }

  /// An operation in a branch that isn't taken never runs.
  static func uncertainDependency(in whole: ValidationWhole) -> [FlowProblem] {
    (DependencyGraph(whole.blueprint)?.uncertain ?? []).map { step, dependency in
      FlowProblem(
        .warning, .unmeetableDependency, at: whole.path(of: step),
        "It depends on \(whole.path(of: dependency)), whose branch may not be taken: then it does not wait.",
        remedy: "Remove the dependency, or add both to the same branch.")
    }
  }
}
