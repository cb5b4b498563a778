import Foundation
import OperationFlow
import OperationFlowStorage

/// The point that a run has reached by its journal: the steps that have begun, or may have begun without an entry.
struct ResumePosition {
  /// The steps that have settled, and the blocks that were entered.
  fileprivate struct Progress {
    /// The steps that are over, including those with inner steps.
    var done: Set<Int> = []
    /// The flows that are steps, and the parallel steps, whose inner steps have begun.
    var entered: Set<Int> = []
    /// The branches that were chosen; `nil` if none matched.
    var chosen: [Int: Int?] = [:]
    /// The steps whose condition was met.
    var checked: Set<Int> = []
    /// The steps whose last attempt has failed.
    var failed: Set<Int> = []
    /// True if the run's end was decided before the last step was reached.
    var isDecided = false
  }

  /// The steps that have begun, or may have, each after the step around it.
  private(set) var steps: [Int] = []
  /// The blocks whose last step is over: the work after such a block may have begun.
  private(set) var endedBlocks: Set<ShapeBlock> = []
  /// The blocks in which a step may have begun.
  private(set) var begunBlocks: Set<ShapeBlock> = []
  /// The parts of the run that have settled.
  private(set) var settled = MissingAfterResume.Reached()
  /// True if the run is at its end, so that undos and the steps that always run may have begun.
  private(set) var isAtEnd = false

  /// Finds the point from the entries after the first one, in a flow of a shape.
  init(_ entries: [Data], in shape: [StepShape]) throws {
    var progress = Progress()
    for entry in entries { progress.add(try JournalEntry(entry), stepCount: shape.count) }
    (settled.chosenBranches, settled.checkedSteps) = (progress.chosen, progress.checked)
    settled.failedSteps = progress.failed
    let blocks = ShapeBlocks(shape)
    var waiting: [ShapeBlock] = []
    let rootIsOver = walk(.root, progress, blocks, &waiting)
    while let block = waiting.popLast() { _ = walk(block, progress, blocks, &waiting) }
    isAtEnd = progress.isDecided || rootIsOver
    // A step that runs at the end may contain other steps that run at the end.
    var new = isAtEnd ? begunBlocks : []
    while !new.isEmpty {
      let known = begunBlocks
      for step in new.flatMap({ blocks.always[$0] ?? [] }) {
        steps.append(step)
        if progress.entered.contains(step) { waiting.append(ShapeBlock(owner: step, branch: 0)) }
      }
      while let block = waiting.popLast() { _ = walk(block, progress, blocks, &waiting) }
      new = begunBlocks.subtracting(known)
    }
  }

  /// Visits the steps of a block, and of the branches that its cases chose, up to the first step that isn't over.
  ///
  /// Blocks that continue beside it are added to `waiting`. Returns true if nothing more of the block runs.
  private mutating func walk(
    _ first: ShapeBlock, _ progress: Progress, _ blocks: ShapeBlocks, _ waiting: inout [ShapeBlock]
  ) -> Bool {
    begunBlocks.insert(first)
    var chain = [(block: first, next: 0)]
    while let (block, next) = chain.last {
      let inside = blocks.steps[block] ?? []
      guard next < inside.count else {
        endedBlocks.insert(block)
        chain.removeLast()
        if let last = chain.indices.last {
          settled.settledSteps.insert(block.owner)
          chain[last].next += 1
        }
        continue
      }
      let step = inside[next]
      steps.append(step)
      if progress.entered.contains(step) {
        waiting += (blocks.branches[step] ?? []).map { ShapeBlock(owner: step, branch: $0) }
      }
      if progress.done.contains(step) {
        settled.settledSteps.insert(step)
        chain[chain.count - 1].next += 1
      } else if let branch = progress.chosen[step] {
        // If none matched, the flow or the parallel branch ends there.
        guard let branch else { return true }
        let chosen = ShapeBlock(owner: step, branch: branch)
        begunBlocks.insert(chosen)
        chain.append((chosen, 0))
      } else {
        return false
      }
    }
    return true
  }
}

/// The steps of each block of a shape.
struct ShapeBlocks {
  /// The steps of each block in their order, without those that run at the end.
  private(set) var steps: [ShapeBlock: [Int]] = [:]
  /// The steps of each block that run at the end.
  private(set) var always: [ShapeBlock: [Int]] = [:]
  /// The branches of each step, without the empty ones.
  private(set) var branches: [Int: Set<Int>] = [:]

  init(_ shape: [StepShape]) {
    for (id, step) in shape.enumerated() {
      if step.isAtEnd { always[step.block, default: []].append(id) } else { steps[step.block, default: []].append(id) }
      branches[step.block.owner, default: []].insert(step.block.branch)
    }
  }
}

extension ResumePosition.Progress {
  /// Adds an entry; a damaged one may contain any numbers.
  fileprivate mutating func add(_ entry: JournalEntry, stepCount: Int) {
    switch entry {
    case .settled(let settlement): add(settlement)
    case .runs(let runs):
      for run in runs {
        guard run.first.kind == .step, let first = run.first.step, first < stepCount else { continue }
        done.formUnion(first..<min(first + run.count, stepCount))
      }
    case .decided: isDecided = true
    case .begun, .ended, .waits, .rests, .begins, .left: break
    }
  }

  private mutating func add(_ settlement: JournalSettlement) {
    if settlement.parts.claimed != nil { isDecided = true }
    guard let step = settlement.work.step, settlement.work.item == nil else { return }
    switch (settlement.work.kind, settlement.result) {
    case (.step, .succeeded), (.check, .skipped), (.leave, .succeeded), (.collect, .succeeded), (.recover, .succeeded):
      done.insert(step)
    case (.check, .succeeded): checked.insert(step)
    case (.step, .failed(_, nil)): failed.insert(step)
    case (.choose, .chosen(let branch)): chosen[step] = .some(branch)
    case (.enter, .entered): entered.insert(step)
    default: break
    }
  }
}
