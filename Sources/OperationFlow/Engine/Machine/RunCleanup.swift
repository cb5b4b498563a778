/// What a run still does once its end is decided: undoing what has succeeded, and the steps that always run.
struct RunCleanup: Sendable {
  enum Part: Sendable {
    case undo(RunWork)
    case always(Blueprint.BlockID)
  }

  /// What has succeeded and can be undone, in that order.
  private var done: [RunWork] = []
  /// Whether nothing is undone, and nothing more runs, because the run will be resumed.
  var isLeftToResume = false
  /// Blocks that run at the end, the next one last.
  private var always: [Blueprint.BlockID] = []
  private(set) var part: Part?
  /// How a block that runs at the end has ended, unless it has succeeded, until it is asked for.
  var failure: Settlement?

  /// Notes that a step or an item has succeeded.
  mutating func note(_ work: RunWork, in blueprint: Blueprint) {
    // What always runs comes after the undos.
    guard part == nil, let undoing = work.undoing, let step = work.step, blueprint.steps[step].options?.undo != nil
    else { return }
    done.append(undoing)
  }

  /// Notes blocks that have begun: what they have for the end comes before that of blocks that had begun earlier.
  mutating func note(begun blocks: [Blueprint.BlockID], in blueprint: Blueprint) {
    for block in blocks { always += blueprint.blocks[block].always.reversed() }
  }

  mutating func next(after ending: Settlement?) -> Part? {
    if isLeftToResume { (done, always) = ([], []) }
    if ending?.isSuccess == false, let work = done.popLast() {
      part = .undo(work)
    } else {
      done = []
      part = always.popLast().map { .always($0) }
    }
    return part
  }
}
