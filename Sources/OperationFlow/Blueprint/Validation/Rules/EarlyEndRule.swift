extension Validation {
  /// Reports cases without an `otherwise`: if none matches, the flow ends there, and the steps after them are skipped.
  func findEarlyEnd(at place: ValidationPlace) {
    guard case .cases(let cases) = blueprint.steps[place.id].kind else { return }
    guard place.laterCount > 0 else { return findForgottenCombine(at: place, cases) }
    if cases.hasOtherwise || known.mustMeet(oneOf: cases.branches.map(\.condition)) { return }
    let conditions = cases.branches.map(\.condition)
    if conditions.isEmpty {
      return report(
        .warning, .incompleteCases, at: path(of: place.id),
        "It has no branches, so the flow ends here as a success, and \(steps(place.laterCount)) won't run.",
        remedy: "Add one in its closure, as in $0.when(\"web\") { … }, or remove the step.")
    }
    // An initial value may make it certain that one of the conditions is true.
    if conditions.contains(where: matchesInitialValue) { return }
    // If the branches' values are secret, a value that no branch is for may be secret too.
    let values = conditions.contains { facts.shown($0).isSensitive } ? [] : cases.missingValues ?? []
    let missing = values.isEmpty ? nil : values.joined(separator: " or ")
    report(
      .warning, .incompleteCases, at: path(of: place.id),
      "If no case matches\(missing.map { ", as for \($0)," } ?? ",") the flow ends here as a success, and "
        + "\(steps(place.laterCount)) won't run.",
      remedy:
        "Add \(missing.map { "a branch for \($0), or " } ?? "")an otherwise branch, such as otherwise { $0.addNothing() }.",
      key: conditions.first?.key)
  }

  /// Reports open cases if their last branch has steps that were probably meant to follow the cases.
  private func findForgottenCombine(at place: ValidationPlace, _ cases: Blueprint.Cases) {
    if cases.areCombined { return }
    let lengths = cases.branches.map { blueprint.blocks[$0.block].steps.count }
    let count = (lengths.last ?? 0) - lengths.dropLast().reduce(1, max)
    // A branch that is certain to be chosen only prevents this warning if it is the last one.
    let certain = cases.branches.firstIndex { branch in
      known.mustMeet(oneOf: [branch.condition]) || matchesInitialValue(branch.condition)
    }
    guard count > 0, certain != cases.branches.indices.last else { return }
    report(
      .warning, .incompleteCases, at: path(of: place.id),
      "The cases aren't combined: \(steps(count)) won't run unless the last branch is taken.",
      remedy: "Call combine() before what should run after every branch, or after the last step if nothing should.",
      key: cases.branches.first?.condition.key)
  }

  private func matchesInitialValue(_ condition: FlowCase) -> Bool {
    condition.key.flatMap { known[$0].initialValue }.map(condition.matches) ?? false
  }

  private func steps(_ count: Int) -> String { count == 1 ? "1 later step" : "\(count) later steps" }
}
