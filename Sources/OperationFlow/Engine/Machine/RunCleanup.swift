/// What a run still does once its end is decided: undoing what has succeeded, and the steps that always run.
struct RunCleanup: Sendable {
  enum Part: Sendable {
    case undo(RunWork)
    case always(Blueprint.BlockID)
  }

  /// What has succeeded and can be undone, in that order.
  private var done: [RunWork] = []
  /// The work that the decision of the end has cut off, and whose effect may have to be undone: before that of all others.
  private var cutOff: Set<RunWork> = []
  /// Whether nothing is undone, and nothing more runs, because the run will be resumed.
  var isSuspended = false
  /// Blocks that run at the end, the next one last.
  private var always: [Blueprint.BlockID] = []
  private(set) var part: Part?
  /// How a block that runs at the end has ended, unless it has succeeded, until it is asked for.
  var failure: Settlement?

  /// Notes that a step or an item has succeeded, or that its effect is uncertain.
  mutating func add(_ work: RunWork, in blueprint: Blueprint, isCertain: Bool, isCutOff: Bool) {
    // What always runs comes after the undos.
    guard part == nil, let undoing = work.undoing, let step = work.step, let undo = blueprint.steps[step].options?.undo,
      isCertain || undo.isForUncertain
    else { return }
    if isCertain || !isCutOff { done.append(undoing) } else { cutOff.insert(undoing) }
  }

  /// Notes blocks that have begun: what they have for the end comes before that of blocks that had begun earlier.
  mutating func add(begun blocks: [Blueprint.BlockID], in blueprint: Blueprint) {
    for block in blocks { always += blueprint.blocks[block].always.reversed() }
  }

  mutating func next(after ending: Settlement?) -> Part? {
    if isSuspended { (done, cutOff, always) = ([], [], []) }
    // In an order that doesn't depend on which of it has settled first, so that a resume undoes it in the same one.
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

/// The steps that were open when their part of the run was cut off: each ends when nothing within it is at work any more.
///
/// Open are those that no claimed work ends: steps with others in them, groups, and steps between two attempts.
struct ClosingSteps: Sendable {
  private struct Step: Sendable {
    let id: Blueprint.StepID
    /// The step that it lies within.
    let outer: Int?
    /// How many claims and open steps are directly within it.
    var count = 0
  }

  /// Each after those that it lies within.
  private var steps: [Step] = []
  /// The place of the innermost of the steps around what is within each scope, and around each claim.
  private var innermost = [ScopeID: Int]()
  private var places = [WorkTicket: Int]()

  init() {}

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

  private mutating func add(_ step: Blueprint.StepID, within outer: Int?) -> Int {
    if let outer { steps[outer].count += 1 }
    steps.append(Step(id: step, outer: outer))
    return steps.count - 1
  }

  /// Counts a claim as work within a scope.
  mutating func add(_ ticket: WorkTicket, in scope: ScopeID) { add(ticket, innermost[scope]) }

  /// Counts another claim as work within the same steps as one that is known.
  mutating func add(_ ticket: WorkTicket, beside other: WorkTicket) { add(ticket, places[other]) }

  private mutating func add(_ ticket: WorkTicket, _ step: Int?) {
    places[ticket] = step
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

  /// A claim has settled: the steps that end with it, the innermost first.
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
