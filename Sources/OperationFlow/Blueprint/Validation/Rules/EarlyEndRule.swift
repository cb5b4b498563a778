/// Without an `otherwise`, the flow ends at the cases if none matches, and what comes behind them is skipped.
enum EarlyEndRule: ValidationRule {
  static let severity = FlowProblem.Severity.warning

  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    guard case .cases(let cases) = place.step.kind, place.laterSteps.areSome else { return [] }
    let conditions = cases.branches.map(\.condition)
    guard !conditions.contains(.otherwise), place.known.mayMatchNone(of: conditions),
      !conditions.contains(where: place.known.surelyMatches)
    else { return [] }
    let (problem, remedy) =
      place.laterSteps.behind > 0
      ? (
        "If no case matches, the flow ends here as a success, and \(steps(place.laterSteps.behind)) won't run.",
        "Add an otherwise branch; it may be empty."
      )
      : (
        "The cases aren't combined: \(steps(place.laterSteps.inLastBranch)) won't run unless the last branch is taken.",
        "Call combine() before what should run after every branch, or add an otherwise branch."
      )
    return [
      FlowProblem(
        severity, .incompleteCases, at: place.path, problem, remedy: remedy, key: conditions.first?.key)
    ]
  }

  private static func steps(_ count: Int) -> String { count == 1 ? "1 later step" : "\(count) later steps" }
}

extension KnownData {
  /// Whether it may be that none of the conditions holds, from what the branches taken before say.
  fileprivate func mayMatchNone(of conditions: [FlowCase]) -> Bool {
    var known = self
    return conditions.allSatisfy { condition in
      condition.key.map { known.exclude(condition.value, under: $0) } ?? true
    }
  }

  /// Whether the data that a case looks at is known, and is what the case asks for.
  fileprivate func surelyMatches(_ condition: FlowCase) -> Bool {
    guard let key = condition.key, let fact = self[key], !fact.isMissingSomewhere, fact.writers.count == 1,
      case .initial(let value, _) = fact.writers[0]
    else { return false }
    return value as? String == condition.value
  }
}

/// How many steps each cases step would skip without a word.
struct LaterSteps {
  /// What one cases step would skip.
  struct Count {
    /// Steps behind the cases.
    var behind = 0
    /// Steps of an open last branch that look as if they were meant to follow the cases.
    var inLastBranch = 0

    var areSome: Bool { behind > 0 || inLastBranch > 0 }
  }

  private var counts: [Blueprint.StepID: Count] = [:]

  /// What the cases at a place of the blueprint would skip.
  subscript(step: Blueprint.StepID) -> Count { counts[step] ?? Count() }

  init(_ blueprint: Blueprint) {
    // How many steps come behind the end of a block before what an early end ends: a block of cases goes on behind them.
    var behind = [Int](repeating: 0, count: blueprint.blocks.count)
    var waiting = [Blueprint.root]
    while let block = waiting.popLast() {
      let steps = blueprint.blocks[block].steps
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

  /// The steps by which an open last branch is longer than any other: behind branches of one step, all but its first.
  private static func stepsOfLongLastBranch(_ cases: Blueprint.Cases, _ blueprint: Blueprint) -> Int {
    guard !cases.areCombined else { return 0 }
    let lengths = cases.branches.map { blueprint.blocks[$0.block].steps.count }
    return max(0, (lengths.last ?? 0) - max(1, lengths.dropLast().max() ?? 1))
  }
}
