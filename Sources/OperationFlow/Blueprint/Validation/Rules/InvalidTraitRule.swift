/// The values of traits have to make sense.
enum InvalidTraitRule: ValidationRule {
  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    whole.specialSteps.flatMap { step, options in
      options.all.flatMap(\.mistakes).map {
        FlowProblem(severity, $0.code, at: whole.path(of: step), $0.problem + ".", remedy: $0.remedy)
      }
    }
  }
}
