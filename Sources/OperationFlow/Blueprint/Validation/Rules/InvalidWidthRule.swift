/// A group must be able to run at least one item at a time.
enum InvalidWidthRule: ValidationRule {
  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    guard case .group(let group) = place.step.kind, group.width < 1 else { return [] }
    let error = FlowError.invalidWidth(group.width)
    return [FlowProblem(severity, error.code, at: place.path, error.problem + ".", remedy: error.remedy)]
  }
}
