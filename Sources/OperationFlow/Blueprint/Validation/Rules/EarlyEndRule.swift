extension Validation {
  /// Without an `otherwise`, the flow ends at the cases if none matches, and the steps after them are skipped.
  static func earlyEnd(at place: ValidationPlace) -> [FlowProblem] {
    guard case .cases(let cases) = place.step.kind, place.laterSteps.areSome else { return [] }
    let conditions = cases.branches.map(\.condition)
    guard !cases.alwaysMatch(in: place.known), place.known.mayMatchNone(of: conditions),
      !conditions.contains(where: place.known.surelyMatches)
    else { return [] }
    let missing = missingValues(of: conditions)
    let (problem, remedy) =
      place.laterSteps.behind > 0
      ? (
        "If no case matches\(missing.map { ", as for \($0)," } ?? ",") the flow ends here as a success, and "
          + "\(steps(place.laterSteps.behind)) won't run.",
        "Add \(missing.map { "a branch for \($0), or " } ?? "")an otherwise branch; it may be empty."
      )
      : (
        "The cases aren't combined: \(steps(place.laterSteps.inLastBranch)) won't run unless the last branch is taken.",
        "Call combine() before what should run after every branch, or add an otherwise branch."
      )
    return [
      FlowProblem(
        .warning, .incompleteCases, at: place.path, problem, remedy: remedy, key: conditions.first?.key)
    ]
  }

  /// Values that no condition is for, such as `.team`; `nil` if none are known, or if they are secret.
  private static func missingValues(of conditions: [FlowCase]) -> String? {
    let values = conditions.flatMap(\.values)
    guard let first = values.first, !conditions.contains(where: \.isSensitive) else { return nil }
    let others = first.someOthers(than: values, limit: 3)
    return others.isEmpty ? nil : others.joined(separator: " or ")
  }

  private static func steps(_ count: Int) -> String { count == 1 ? "1 later step" : "\(count) later steps" }
}

extension KnownData {
  /// Whether it's possible that none of the conditions is true, judging by the branches taken before.
  fileprivate func mayMatchNone(of conditions: [FlowCase]) -> Bool {
    var known = self
    return conditions.allSatisfy { known.exclude($0) }
  }

  /// Whether the value that a case compares is known, and equals the case's value.
  fileprivate func surelyMatches(_ condition: FlowCase) -> Bool {
    guard let key = condition.key, let fact = self[key], !fact.isMissingSomewhere, fact.writers.count == 1,
      case .initial(let value, _) = fact.writers[0]
    else { return false }
    return condition.matches(value)
  }
}

/// How many steps each cases step would silently skip.
struct LaterSteps {
  /// The numbers of steps that one cases step would skip.
  struct Count {
    /// The number of steps after the cases.
    var behind = 0
    /// The number of steps in an open last branch that look as if they were meant to follow the cases.
    var inLastBranch = 0

    var areSome: Bool { behind > 0 || inLastBranch > 0 }
  }

  private var counts: [Blueprint.StepID: Count] = [:]

  /// The numbers of steps that the cases at a place of the blueprint would skip.
  subscript(step: Blueprint.StepID) -> Count { counts[step] ?? Count() }

  init(_ blueprint: Blueprint) {
    // How many steps an early end in a block would skip after it: a block of cases continues after the cases.
    var behind = [Int](repeating: 0, count: blueprint.blocks.count)
    var waiting = [Blueprint.root]
    while let block = waiting.popLast() {
      let steps = blueprint.blocks[block].steps
      waiting += blueprint.blocks[block].always
      for (index, step) in steps.enumerated() {
        let later = steps.count - index - 1 + behind[block]
        switch blueprint.steps[step].kind {
        case .operation, .closure, .group: break
        case .flow(let inner, _, _): waiting.append(inner)
        case .parallel(let branches): waiting += branches.map(\.block)
        case .cases(let cases):
          for branch in cases.branches {
            behind[branch.block] = later
            waiting.append(branch.block)
          }
          counts[step] = Count(behind: later, inLastBranch: Self.stepsOfLongLastBranch(cases, blueprint))
        }
      }
    }
  }

  /// How many steps longer an open last branch is than any other: if the others have one step, all but its first.
  private static func stepsOfLongLastBranch(_ cases: Blueprint.Cases, _ blueprint: Blueprint) -> Int {
    guard !cases.areCombined else { return 0 }
    let lengths = cases.branches.map { blueprint.blocks[$0.block].steps.count }
    return max(0, (lengths.last ?? 0) - max(1, lengths.dropLast().max() ?? 1))
  }
}
