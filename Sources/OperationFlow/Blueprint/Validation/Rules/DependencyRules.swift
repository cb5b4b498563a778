/// An operation waits for those that it depends on, so none of them may come after it.
enum UnmeetableDependencyRule: ValidationRule {
  /// Dependencies can be added and removed until the flow starts.
  static let holdsForGood = false

  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    if whole.blueprint.instanceSteps.isEmpty { return [] }
    return (DependencyGraph(whole.blueprint)?.unmeetable ?? []).map { step, dependency in
      let other = dependency.map { whole.path(of: $0) }
      let text =
        dependency == step
        ? "It depends on itself."
        : "It depends on \(other.map { "\($0)" } ?? "an operation outside the flow"), which can't end before it does."
      return FlowProblem(
        severity, .unmeetableDependency, at: whole.path(of: step), text,
        remedy: "Remove the dependency, because it would wait forever: the steps of a flow run in order without any."
      )
    }
  }
}

/// An operation in a branch that isn't taken never runs.
enum UncertainDependencyRule: ValidationRule {
  static let severity = FlowProblem.Severity.warning
  static let holdsForGood = false

  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    (DependencyGraph(whole.blueprint)?.uncertain ?? []).map { step, dependency in
      FlowProblem(
        severity, .unmeetableDependency, at: whole.path(of: step),
        "It depends on \(whole.path(of: dependency)), whose branch may not be taken: then it does not wait.",
        remedy: "Remove the dependency, or add both to the same branch.")
    }
  }
}
