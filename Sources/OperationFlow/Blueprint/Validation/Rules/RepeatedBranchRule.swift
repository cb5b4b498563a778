/// The branches of a parallel step are told apart by their names.
enum RepeatedBranchRule: ValidationRule {
  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    whole.blueprint.steps.indices.flatMap { id -> [FlowProblem] in
      guard case .parallel(let branches) = whole.blueprint.steps[id].kind else { return [] }
      var counts: [String: Int] = [:]
      for branch in branches { counts[branch.name, default: 0] += 1 }
      return counts.filter { $0.value > 1 }.sorted { $0.key < $1.key }.map { name, count in
        FlowProblem(
          severity, .repeatedBranch, at: whole.path(of: id), "\(count) of its branches are called \"\(name)\".",
          remedy: "Give each branch a name of its own.")
      }
    }
  }
}
