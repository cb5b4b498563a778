/// A limiter must let something run, and its period must have a length.
enum InvalidLimitRule: ValidationRule {
  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    guard whole.blueprint.hasLimits else { return [] }
    return whole.blueprint.steps.indices.flatMap { step in
      (whole.blueprint.steps[step].options.limits?.limiters ?? []).flatMap(\.errors).map { error in
        FlowProblem(severity, error.code, at: whole.path(of: step), error.problem + ".", remedy: error.remedy)
      }
    }
  }
}
