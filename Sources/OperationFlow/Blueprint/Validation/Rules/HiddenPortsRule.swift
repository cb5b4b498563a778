/// Declared inputs and outputs are found by the names and types of properties, which a build may omit.
enum HiddenPortsRule: ValidationRule {
  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    guard let type = place.ports.typeWithHiddenPorts else { return [] }
    let error = FlowError.hiddenPorts(of: type)
    return [FlowProblem(severity, error.code, at: place.path, error.problem + ".", remedy: error.remedy)]
  }
}
