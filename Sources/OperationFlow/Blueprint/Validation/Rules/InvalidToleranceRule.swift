/// A group's tolerance can't be below 0, and a share can't be above 1.
enum InvalidToleranceRule: ValidationRule {
  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    guard case .group(let group) = place.step.kind, let error = group.tolerance.error else { return [] }
    return [FlowProblem(severity, error.code, at: place.path, error.problem + ".", remedy: error.remedy)]
  }
}
