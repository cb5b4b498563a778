/// A sequence of results belongs to one group.
enum ResultsUsedTwiceRule: ValidationRule {
  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    guard whole.blueprint.handsOnResults else { return [] }
    var seen: Set<ObjectIdentifier> = []
    return whole.specialSteps.flatMap { step, options in
      (options.results?.outlets ?? []).filter { !seen.insert($0.identity).inserted }.map { _ in
        FlowProblem(
          severity, .resultsUsedTwice, at: whole.path(of: step), "Its FlowResults is given to two groups.",
          remedy: "Make a FlowResults for each group.")
      }
    }
  }
}
