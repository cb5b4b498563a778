/// A group's tolerance can't be below 0.
enum InvalidToleranceRule: ValidationRule {
  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    guard case .group(let group) = place.step.kind, !group.tolerance.isValid else { return [] }
    let error = FlowError.invalidTolerance(group.tolerance.failureCount)
    return [FlowProblem(severity, error.code, at: place.path, error.problem + ".", remedy: error.remedy)]
  }
}
