/// The steps that were open when their part of the run was cut off: each ends when nothing within it is at work any more.
///
/// Open are those that have begun and not ended, and that no claimed work ends: those with others in them, groups, and steps
/// between two attempts.
struct ClosingSteps: Sendable {
  /// The place of one of the steps among them.
  typealias Place = Int

  private struct Step: Sendable {
    let id: Blueprint.StepID
    /// The step that it lies within.
    let outer: Place?
    /// How many claims and open steps are directly within it.
    var count = 0
  }

  /// Each after those that it lies within.
  private var steps: [Step] = []
  /// The innermost of the steps around what is within each scope.
  private var innermost: [ScopeID: Place] = [:]

  init() {}

  /// The steps that are open in a tree.
  init(_ scopes: Slab<RunScope>, _ attempts: Slab<AttemptScope>) {
    for (id, scope) in scopes.outermostFirst {
      var around = scope.parent.flatMap { innermost[$0] }
      switch scope.kind {
      case .block(let block):
        if let step = block.openHolder { around = add(step, within: around) }
        // What stands in a block is within the step that the block belongs to.
        if let step = block.openStep { _ = add(step, within: around) }
      case .fan(let fan): around = add(fan.step, within: around)
      case .attempts(let place, _): if let step = attempts[place]?.waitingStep { _ = add(step, within: around) }
      }
      innermost[id] = around
    }
  }

  private mutating func add(_ step: Blueprint.StepID, within outer: Place?) -> Place {
    addClaim(within: outer)
    steps.append(Step(id: step, outer: outer))
    return steps.count - 1
  }

  /// The innermost of the steps around what is within a scope.
  func place(of scope: ScopeID) -> Place? { innermost[scope] }

  /// Counts a claim as work within a step.
  mutating func addClaim(within step: Place?) {
    if let step { steps[step].count += 1 }
  }

  /// The steps within which nothing is at work, the innermost first.
  mutating func closeIdle() -> [RunEffect] {
    steps.indices.reversed().reduce(into: []) { closed, place in
      guard steps[place].count == 0 else { return }
      closed.append(.closed(steps[place].id))
      if let outer = steps[place].outer { steps[outer].count -= 1 }
    }
  }

  /// A claim within a step has settled: the steps that end with it, the innermost first.
  mutating func settle(within step: Place?) -> [RunEffect] {
    var next = step
    var closed: [RunEffect] = []
    while let step = next {
      steps[step].count -= 1
      guard steps[step].count == 0 else { break }
      closed.append(.closed(steps[step].id))
      next = steps[step].outer
    }
    return closed
  }
}
