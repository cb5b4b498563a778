@testable import OperationFlow

/// The work of a run in order, found by a walk through its flow: a path for the run, and one for each branch.
///
/// The paths contain the work of a run in which nothing fails or is cancelled, identified by the steps' numbers. A
/// path contains the plan and the collecting of a group, but not its items. Flows that always run have paths of their
/// own, too.
final class ReferencePaths: Sendable {
  struct Path: Sendable {
    let works: [RunWork]
    /// The path that contains the branch's parallel step; `nil` if the path isn't a branch.
    let parent: Int?
  }

  let flow: SimulatedFlow
  let paths: [Path]
  /// The paths of the flows that run at the end of each run.
  let always: [Int]
  /// The steps that are on a path, by number.
  private let steps: [ReferenceStep?]

  init(_ flow: SimulatedFlow) {
    var walker = ReferenceWalker(flow)
    walker.walk(through: flow)
    self.flow = flow
    always = walker.always
    paths = zip(walker.works, walker.parents).map { Path(works: $0, parent: $1) }
    steps = walker.steps
  }

  subscript(_ step: Int) -> ReferenceStep? { steps.indices.contains(step) ? steps[step] : nil }

  /// Returns true if a step lies within another one.
  func isStep(_ step: Int, within outer: Int) -> Bool {
    var next = self[step]?.holder
    while let step = next {
      if step == outer { return true }
      next = self[step]?.holder
    }
    return false
  }

  /// Returns the end of an attempt that is not cut off.
  func end(of work: RunWork, attempt: Int) -> SimulatedFlow.End {
    let known = work.step.flatMap { self[$0] }
    return switch work.kind {
    case .check: known?.endOfCheck ?? .success
    case .step: known?.end(of: attempt) ?? .success
    case .item: known?.end(of: attempt, item: work.item ?? 0) ?? .success
    case .plan: known?.group?.trouble == .plan ? .failure : .success
    case .collect: known?.group?.trouble == .collect ? .failure : .success
    case .recover: known?.plan?.recovery ?? .success
    case .undo: known?.endOfUndo(attempt) ?? .success
    case .deliver: known?.endOfHanding(item: work.item ?? 0) ?? .success
    case .expire: .failure
    case .choose, .enter, .leave, .pull, .finish: .success
    }
  }
}

/// The facts about a step that don't depend on a run.
struct ReferenceStep: Sendable {
  /// The path that contains the step.
  let path: Int
  /// The step that contains this step, if any.
  let holder: Int?
  let plan: SimulatedFlow.Plan?
  let condition: SimulatedFlow.Condition?
  let undo: SimulatedFlow.Undo?
  let isLimited: Bool
  /// The paths of the flows that run at the end of a run in which this step has started.
  var always: [Int] = []
  /// The place on the path at which the step's work is done, except for the step's own end.
  var doneAt = 0
  var ends: [SimulatedFlow.End] = []
  var group: SimulatedFlow.Group?
  var isCases = false
  /// True if the cases choose one of their branches.
  var takesBranch = false
  /// The paths of a parallel step's branches.
  var branches: [Int]?

  /// The end of the check of the step's condition.
  var endOfCheck: SimulatedFlow.End {
    switch condition {
    case .failing: .failure
    case .cancelling: .cancellation
    case .met, .unmet, nil: .success
    }
  }

  func end(of attempt: Int) -> SimulatedFlow.End { Self.end(ends, attempt) }

  func end(of attempt: Int, item: Int) -> SimulatedFlow.End {
    guard let items = group?.items, items.indices.contains(item) else { return .success }
    return Self.end(items[item], attempt)
  }

  func endOfUndo(_ attempt: Int) -> SimulatedFlow.End { Self.end(undo?.ends ?? [], attempt) }

  /// Returns the end of the delivery of an item's result; `nil` if the result isn't delivered.
  func endOfHanding(item: Int) -> SimulatedFlow.End? {
    guard let ends = group?.handings, !ends.isEmpty else { return nil }
    return ends[item % ends.count]
  }

  private static func end(_ ends: [SimulatedFlow.End], _ attempt: Int) -> SimulatedFlow.End {
    ends.indices.contains(attempt - 1) ? ends[attempt - 1] : .success
  }
}

private struct ReferenceWalker {
  private(set) var works: [[RunWork]] = []
  private(set) var parents: [Int?] = []
  private(set) var steps: [ReferenceStep?]
  private(set) var always: [Int] = []

  init(_ flow: SimulatedFlow) {
    steps = Array(repeating: nil, count: 1 + (flow.allSteps.map(\.number).max() ?? 0))
  }

  mutating func walk(through flow: SimulatedFlow) {
    _ = addPath(flow.steps, parent: nil, within: nil)
    always = flow.always.map { addPath([$0], parent: nil, within: nil) }
  }

  private mutating func addPath(_ steps: [SimulatedFlow.Step], parent: Int?, within holder: Int?) -> Int {
    let path = works.count
    works.append([])
    parents.append(parent)
    _ = walk(steps, on: path, within: holder)
    return path
  }

  /// Returns false if no case matches, so that the rest of the enclosing flow or branch is never reached.
  private mutating func walk(_ steps: [SimulatedFlow.Step], on path: Int, within holder: Int?) -> Bool {
    for step in steps where !walk(step, on: path, within: holder) { return false }
    return true
  }

  private mutating func walk(_ step: SimulatedFlow.Step, on path: Int, within holder: Int?) -> Bool {
    let number = step.number
    steps[number] = ReferenceStep(
      path: path, holder: holder, plan: step.plan, condition: step.condition, undo: step.undo, isLimited: step.isLimited
    )
    if let condition = step.condition {
      works[path].append(RunWork(.check, of: number))
      steps[number]?.doneAt = works[path].count
      // A condition that fails isn't handled here: the run then never reaches the rest of the path.
      if condition == .unmet { return true }
    }
    switch step.kind {
    case .work(let ends):
      steps[number]?.ends = ends
      works[path].append(RunWork(.step, of: number))
      steps[number]?.doneAt = works[path].count
    case .group(let group):
      steps[number]?.group = group
      works[path].append(RunWork(.plan, of: number))
      steps[number]?.doneAt = works[path].count
      works[path].append(RunWork(.collect, of: number))
    case .cases(let cases):
      steps[number]?.isCases = true
      steps[number]?.takesBranch = cases.taken != nil
      works[path].append(RunWork(.choose, of: number))
      let continues = cases.taken.map { walk($0.steps, on: path, within: number) } ?? false
      steps[number]?.doneAt = works[path].count
      return continues
    case .flow(let inner):
      works[path].append(RunWork(.enter, of: number))
      _ = walk(inner, on: path, within: number)
      let always = step.always.map { addPath([$0], parent: nil, within: nil) }
      steps[number]?.always = always
      steps[number]?.doneAt = works[path].count
      works[path].append(RunWork(.leave, of: number))
    case .parallel(let branches):
      works[path].append(RunWork(.enter, of: number))
      let inner = branches.map { addPath($0, parent: path, within: number) }
      steps[number]?.branches = inner
      steps[number]?.doneAt = works[path].count
      works[path].append(RunWork(.leave, of: number))
    }
    return true
  }
}
