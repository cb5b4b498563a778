/// The work that follows the decision of a run's end: undos, and the steps that always run.
struct RunCleanup: Sendable {
  enum Part: Sendable {
    case undo(RunWork)
    case always(Blueprint.BlockID)
  }

  /// The undos of what has succeeded, in that order; the last one runs first.
  private var done: [RunWork] = []
  /// The undos of uncertain work that was cut off when the end was decided; they run before all others.
  private var cutOff: Set<RunWork> = []
  /// True if nothing is undone and nothing more runs, because the run will be resumed.
  var isSuspended = false
  /// Blocks that run at the end, the next one last.
  private var always: [Blueprint.BlockID] = []
  private(set) var part: Part?
  /// The last failure of an `always` block, until it is read.
  var failure: Settlement?

  /// Adds the undo of a step or an item that has succeeded, or whose effect is uncertain.
  mutating func add(_ work: RunWork, in blueprint: Blueprint, isCertain: Bool, isCutOff: Bool) {
    // Undos run before all `always` blocks, so none is added once a part has begun.
    guard part == nil, let undoing = work.undoing, let step = work.step, let undo = blueprint.steps[step].options?.undo,
      isCertain || undo.isForUncertain
    else { return }
    if isCertain || !isCutOff { done.append(undoing) } else { cutOff.insert(undoing) }
  }

  /// Adds the `always` blocks of blocks that have begun; they run before those of blocks that began earlier.
  mutating func add(begun blocks: [Blueprint.BlockID], in blueprint: Blueprint) {
    for block in blocks { always += blueprint.blocks[block].always.reversed() }
  }

  mutating func next(after ending: Settlement?) -> Part? {
    if isSuspended { (done, cutOff, always) = ([], [], []) }
    // This order doesn't depend on which work settled first, so a resume undoes it in the same order.
    done += cutOff.sorted { ($0.step ?? 0, $0.item ?? 0) < ($1.step ?? 0, $1.item ?? 0) }
    cutOff = []
    if ending?.isSuccess == false, let work = done.popLast() {
      part = .undo(work)
    } else {
      done = []
      part = always.popLast().map { .always($0) }
    }
    return part
  }
}

/// The steps that were open when their part of the run was cut off; each ends when nothing within it runs any more.
///
/// A step is open if no claim ends it: a step that contains others, a group, or a step between two attempts.
struct ClosingSteps: Sendable {
  private struct Step: Sendable {
    let id: Blueprint.StepID
    /// The index of the step around it.
    let outer: Int?
    /// The number of claims and open steps directly within it.
    var count = 0
  }

  /// The open steps, each after the steps around it.
  private var steps: [Step] = []
  /// The index of the innermost open step around the content of each scope, and below around each claim.
  private var innermost = [ScopeID: Int]()
  private var places = [WorkTicket: Int]()

  init() {}

  init(_ scopes: Slab<RunScope>, _ attempts: Slab<AttemptScope>) {
    for (id, scope) in scopes.outermostFirst {
      var around = scope.parent.flatMap { innermost[$0] }
      switch scope.kind {
      case .block(let block):
        if let step = block.openHolder { around = add(step, within: around) }
        // A step that the block contains is within the step that the block belongs to.
        if let step = block.openStep { _ = add(step, within: around) }
      case .fan(let fan): around = add(fan.step, within: around)
      case .attempts(let place, _): if let step = attempts[place]?.waitingStep { _ = add(step, within: around) }
      }
      innermost[id] = around
    }
  }

  private mutating func add(_ step: Blueprint.StepID, within outer: Int?) -> Int {
    if let outer { steps[outer].count += 1 }
    steps.append(Step(id: step, outer: outer))
    return steps.count - 1
  }

  /// Counts a claim as work within a scope.
  mutating func add(_ ticket: WorkTicket, in scope: ScopeID) { add(ticket, innermost[scope]) }

  /// Counts another claim as work within the same steps as a claim that was added before.
  mutating func add(_ ticket: WorkTicket, beside other: WorkTicket) { add(ticket, places[other]) }

  private mutating func add(_ ticket: WorkTicket, _ step: Int?) {
    places[ticket] = step
    if let step { steps[step].count += 1 }
  }

  /// Closes the steps within which nothing runs, the innermost first.
  mutating func closeIdle() -> [RunEffect] {
    steps.indices.reversed().reduce(into: []) { closed, place in
      guard steps[place].count == 0 else { return }
      closed.append(.closed(steps[place].id))
      if let outer = steps[place].outer { steps[outer].count -= 1 }
    }
  }

  /// Removes a claim that has settled, and closes the steps that end with it, the innermost first.
  mutating func settle(_ ticket: WorkTicket) -> [RunEffect] {
    var next = places[ticket]
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
