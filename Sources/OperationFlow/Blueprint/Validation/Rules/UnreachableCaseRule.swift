/// A branch that can never be taken: an earlier one has the same condition, or nothing writes its key.
enum UnreachableCaseRule: ValidationRule {
  static let severity = FlowProblem.Severity.warning

  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    guard case .cases(let cases) = place.step.kind else { return [] }
    var seen = SeenConditions()
    return cases.branches.compactMap { branch in
      // A path is as long as it is deep, so it is created only for a problem.
      lazy var path = place.path.appending(branch.condition.text)
      guard seen.insert(branch.condition) else {
        return FlowProblem(
          severity, .unreachableCase, at: path, "A branch before it has the same condition, and is taken instead.",
          remedy: "Change its condition, or remove it.", key: branch.condition.key)
      }
      guard let key = branch.condition.key, !place.known.mayHold(key) else { return nil }
      return FlowProblem(
        severity, .unreachableCase, at: path,
        "It is taken for \(branch.condition.values.count == 1 ? "one value" : "some values") of <\(key)>, but nothing writes <\(key)>.",
        remedy: "Set <\(key)> in the flow's data bucket, or write it in a step before.", key: key)
    }
  }
}
