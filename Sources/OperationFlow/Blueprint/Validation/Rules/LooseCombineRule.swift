/// `combine()` lets branches meet; without branches it does nothing.
enum LooseCombineRule: ValidationRule {
  static func problems(in blueprint: Blueprint) -> [FlowProblem] {
    blueprint.looseCombines.map { count in
      FlowProblem(
        .warning, .misplacedCombine, at: count == 0 ? "the start" : "behind step \(count)",
        "combine() is called, and there are no cases to combine.",
        remedy: "Remove it, or add steps with a flowCase before it.")
    }
  }
}
