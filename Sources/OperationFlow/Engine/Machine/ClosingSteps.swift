/// The steps that were open when their part of the run was cut off: each ends when nothing within it is at work any more.
///
/// Open are those that have begun and not ended, and that no claimed work ends: those with others in them, groups, and steps
/// between two attempts.
struct ClosingSteps: Sendable {
  private struct Step: Sendable {
    let id: Blueprint.StepID
    /// The place of the step that it lies within; -1 for none.
    let outer: Int
    /// How many claims and open steps are directly within it.
    var count = 0
  }

  /// Each after those that it lies within.
  private var steps: [Step] = []
  /// The innermost of the steps around what is within each scope, by the scope's place; -1 for none.
  private var innermost: [Int] = []
  /// The innermost of the steps that each claim is within, by the place of its ticket; -1 for none.
  private var places: [Int] = []

  init() {}

  /// The steps that are open in a tree.
  init(_ scopes: Slab<RunScope>, _ attempts: Slab<AttemptScope>) {
    for (id, scope) in scopes.outermostFirst {
      var around = scope.parent.map { Self.value(at: $0, in: innermost) } ?? -1
      switch scope.kind {
      case .block(let block):
        if let step = block.openHolder { around = add(step, within: around) }
        // What stands in a block is within the step that the block belongs to.
        if let step = block.openStep { _ = add(step, within: around) }
      case .fan(let fan): around = add(fan.step, within: around)
      case .attempts(let place, _): if let step = attempts[place]?.waitingStep { _ = add(step, within: around) }
      }
      Self.set(around, at: id, in: &innermost)
    }
  }

  private static func value(at id: SlabID, in values: [Int]) -> Int { id.place < values.count ? values[id.place] : -1 }

  private static func set(_ value: Int, at id: SlabID, in values: inout [Int]) {
    while values.count <= id.place { values.append(-1) }
    values[id.place] = value
  }

  private mutating func add(_ step: Blueprint.StepID, within outer: Int) -> Int {
    if outer >= 0 { steps[outer].count += 1 }
    steps.append(Step(id: step, outer: outer))
    return steps.count - 1
  }

  /// Counts a claim as work within a scope.
  mutating func add(_ ticket: WorkTicket, in scope: ScopeID) { add(ticket, Self.value(at: scope, in: innermost)) }

  /// Counts another claim as work within the same steps as one that is known.
  mutating func add(_ ticket: WorkTicket, beside other: WorkTicket) { add(ticket, Self.value(at: other, in: places)) }

  private mutating func add(_ ticket: WorkTicket, _ step: Int) {
    Self.set(step, at: ticket, in: &places)
    if step >= 0 { steps[step].count += 1 }
  }

  /// The steps within which nothing is at work, the innermost first.
  mutating func closeIdle() -> [RunEffect] {
    steps.indices.reversed().reduce(into: []) { closed, place in
      guard steps[place].count == 0 else { return }
      closed.append(.closed(steps[place].id))
      if steps[place].outer >= 0 { steps[steps[place].outer].count -= 1 }
    }
  }

  /// A claim has settled: the steps that end with it, the innermost first.
  mutating func settle(_ ticket: WorkTicket) -> [RunEffect] {
    var next = Self.value(at: ticket, in: places)
    var closed: [RunEffect] = []
    while next >= 0 {
      steps[next].count -= 1
      guard steps[next].count == 0 else { break }
      closed.append(.closed(steps[next].id))
      next = steps[next].outer
    }
    return closed
  }
}
