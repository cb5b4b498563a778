/// `combine()` joins branches; without branches it does nothing.
enum LooseCombineRule: ValidationRule {
  static let severity = FlowProblem.Severity.warning

  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    whole.blueprint.looseCombines.map { place in
      FlowProblem(
        severity, .misplacedCombine, at: FlowPath(place),
        "combine() is called, and there are no cases to combine.",
        remedy: "Remove it, or add steps with a flowCase before it.")
    }
  }
}
