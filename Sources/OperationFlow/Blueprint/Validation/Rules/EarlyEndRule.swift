extension Validation {
  /// Without an `otherwise`, the flow ends at the cases if none matches, and the steps after them are skipped.
  func findEarlyEnd(at place: ValidationPlace) {
    guard case .cases(let cases) = blueprint.steps[place.id].kind else { return }
    // If it is open, its last branch may have steps that look as if they were meant to follow the cases.
    let lengths = cases.areCombined ? [] : cases.branches.map { blueprint.blocks[$0.block].steps.count }
    let inLastBranch = max(0, (lengths.last ?? 0) - lengths.dropLast().reduce(1, max))
    guard place.laterCount > 0 || inLastBranch > 0, !cases.hasOtherwise, !cases.mustMatch(in: place.known)
    else { return }
    let conditions = cases.branches.map(\.condition)
    if conditions.isEmpty {
      report(
        .warning, .incompleteCases, at: place.path,
        "It has no branches, so the flow ends here as a success, and \(steps(place.laterCount)) won't run.",
        remedy: "Add one in its closure, as in $0.when(\"web\") { … }, or remove the step.")
      return
    }
    // The branches taken before, or a value that is known, may make it certain that one of the conditions is true.
    var known = place.known
    guard conditions.allSatisfy({ known.exclude($0) }),
      !conditions.contains(where: { $0.key.flatMap(place.known.initialValue).map($0.matches) ?? false })
    else { return }
    // What no branch is for may be a secret, as what the branches are for is.
    let values = conditions.contains(where: \.isSensitive) ? [] : cases.missingValues ?? []
    let missing = values.isEmpty ? nil : values.joined(separator: " or ")
    let (problem, remedy) =
      place.laterCount > 0
      ? (
        "If no case matches\(missing.map { ", as for \($0)," } ?? ",") the flow ends here as a success, and "
          + "\(steps(place.laterCount)) won't run.",
        "Add \(missing.map { "a branch for \($0), or " } ?? "")an otherwise branch, such as otherwise { $0.addNothing() }."
      )
      : (
        "The cases aren't combined: \(steps(inLastBranch)) won't run unless the last branch is taken.",
        "Call combine() before what should run after every branch, or add an otherwise branch."
      )
    report(.warning, .incompleteCases, at: place.path, problem, remedy: remedy, key: conditions.first?.key)
  }

  private func steps(_ count: Int) -> String { count == 1 ? "1 later step" : "\(count) later steps" }
}
