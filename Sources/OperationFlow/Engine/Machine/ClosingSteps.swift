/// The steps that were open when their part of the run was cut off: each ends when nothing within it is at work any more.
struct ClosingSteps: Sendable {
  private struct Step: Sendable {
    let id: Blueprint.StepID
    /// The place of the step that it lies within.
    var outer: Int?
    /// How many claims and open steps are directly within it.
    var count = 0
  }

  /// Each before those that it lies within.
  private var steps: [Step] = []
  /// The innermost of the steps that each claim is within.
  private var places: [WorkTicket: Int] = [:]

  init() {}

  /// The steps that are open in a tree, with what is at work.
  init(_ scopes: Slab<RunScope>, open: OpenSteps, claims: Slab<RunStateMachine.Claimed>) {
    /// The innermost step around what is within each scope.
    var within: [ScopeID: Int] = [:]
    /// Where the place of the step around each one is looked for.
    var around: [(step: Int, scope: ScopeID?)] = []
    for step in open.all {
      if step.holdsScope { within[step.scope] = steps.count }
      around.append((steps.count, step.holdsScope ? scopes[step.scope]?.parent : step.scope))
      steps.append(Step(id: step.id, outer: nil))
    }
    if steps.isEmpty { return }
    for (id, scope) in scopes.outermostFirst where within[id] == nil {
      within[id] = scope.parent.flatMap { within[$0] }
    }
    for (step, scope) in around { steps[step].outer = scope.flatMap { within[$0] } }
    for step in steps { if let outer = step.outer { steps[outer].count += 1 } }
    for (ticket, claim) in claims.all {
      guard let scope = claim.scope, let place = within[scope] else { continue }
      places[ticket] = place
      steps[place].count += 1
    }
  }

  /// The steps within which nothing is at work, the innermost first.
  mutating func closeIdle() -> [Blueprint.StepID] {
    steps.indices.filter { index in
      guard steps[index].count == 0 else { return false }
      if let outer = steps[index].outer { steps[outer].count -= 1 }
      return true
    }.map { steps[$0].id }
  }

  /// A claim has settled: the steps that end with it, the innermost first.
  mutating func settle(_ ticket: WorkTicket) -> [Blueprint.StepID] {
    guard var next = places.removeValue(forKey: ticket) else { return [] }
    var closed: [Blueprint.StepID] = []
    while true {
      steps[next].count -= 1
      guard steps[next].count == 0 else { return closed }
      closed.append(steps[next].id)
      guard let outer = steps[next].outer else { return closed }
      next = outer
    }
  }

  /// Counts another claim as work within the same steps as one that is known.
  mutating func add(_ ticket: WorkTicket, beside other: WorkTicket) {
    guard let place = places[other] else { return }
    places[ticket] = place
    steps[place].count += 1
  }
}
