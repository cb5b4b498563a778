/// A parallel step runs its branches, so it needs at least one.
enum EmptyParallelRule: ValidationRule {
  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    whole.blueprint.steps.indices.compactMap { id in
      guard case .parallel(let branches) = whole.blueprint.steps[id].kind, branches.isEmpty else { return nil }
      return FlowProblem(
        severity, .emptyParallel, at: whole.path(of: id), "It has no branches.",
        remedy: "Add one in its closure, as in $0.branch(\"thumbnails\") { … }, or remove the step.")
    }
  }
}
