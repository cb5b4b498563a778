import Foundation
import OperationFlow

/// Finds how the steps of an ended run ended, from the entries of its journal.
struct EndedSteps {
  /// The counts of a group's items.
  private struct Items {
    var total: Int?
    var (succeeded, failed, cancelled) = (0, 0, 0)
    /// The number of the last attempt at each item that was tried again.
    var attempts: [Int: Int] = [:]
    /// The items whose last attempt failed, and which have another attempt or a recovery after it.
    var unfinished: Set<Int> = []
  }

  private let blueprint: Blueprint

  private var facts: RunFacts
  private var items: [Int: Items] = [:]
  /// The chosen branch of each step with cases.
  private var branches: [Int: Int] = [:]
  /// The steps with cases of which none matched: each ends the flow, or the branch around it.
  private var earlyEnds: Set<Int> = []
  /// The work that was under way when the run's end was decided.
  ///
  /// No recovery follows such work.
  private var cutOffWork: Set<RunWork> = []

  /// Adds the ends of steps and items to `facts`, from the entries between the first and the last one.
  static func adding(_ entries: [Data], to facts: RunFacts, of blueprint: Blueprint) throws(FlowError) -> RunFacts {
    var steps = EndedSteps(facts, blueprint)
    for entry in entries { steps.add(try JournalEntry(entry)) }
    return steps.end()
  }

  private init(_ facts: RunFacts, _ blueprint: Blueprint) { (self.facts, self.blueprint) = (facts, blueprint) }

  private mutating func add(_ entry: JournalEntry) {
    switch entry {
    case .settled(let settlement): add(settlement)
    case .runs(let runs):
      for run in runs {
        guard let first = run.first.step else { continue }
        if run.first.item != nil {
          items[first, default: Items()].succeeded += run.count
        } else {
          for step in first..<max(first, min(first + run.count, blueprint.steps.count)) {
            store(step, .succeeded, at: nil, attempt: 1)
          }
        }
      }
    case .decided(let decision): cutOff(decision.claimed)
    case .begun, .ended, .waits, .rests, .begins, .left: break
    }
  }

  private mutating func add(_ settlement: JournalSettlement) {
    // The number of the attempt is clamped, because an entry may contain any number.
    let (work, attempt, date) = (settlement.work, min(max(1, settlement.attempt), 65_535), settlement.date)
    if let claimed = settlement.parts.claimed { cutOff(claimed) }
    guard let step = work.step, blueprint.steps.indices.contains(step), work.kind != .undo, work.kind != .deliver else {
      return
    }
    if let item = work.item { return add(settlement, item: item, of: step) }
    switch (work.kind, settlement.result) {
    // The count of a sequence that was cut off isn't the number of its items.
    case (.pull, .pulledAll) where cutOffWork.contains(work): break
    case (.pull, .pulledAll(let count)): items[step, default: Items()].total = count
    case (.plan, .planned(let count, _)):
      items[step, default: Items()].total = count
      store(step, .running, at: nil, attempt: 1)
    case (.check, .skipped): store(step, .skipped, at: date, attempt: attempt)
    case (.check, .succeeded), (.pull, _): break
    case (.choose, .chosen(let branch)):
      guard let branch else {
        store(step, .succeeded, at: date, attempt: attempt)
        if cutOffWork.contains(work) { return }
        facts.endEarly(at: step)
        earlyEnds.insert(step)
        return
      }
      store(step, .running, at: nil, attempt: attempt)
      facts.storeBranch(branch, of: step)
      branches[step] = branch
    case (_, .failed(_, let delay)):
      let isFollowed = delay != nil || recovers(from: work, of: step)
      store(step, isFollowed ? .running : .failed, at: date, attempt: attempt)
    case (_, .cancelled): store(step, .cancelled, at: date, attempt: attempt)
    case (_, .entered): store(step, .running, at: nil, attempt: attempt)
    default: store(step, .succeeded, at: date, attempt: attempt)
    }
  }

  private mutating func add(_ settlement: JournalSettlement, item: Int, of step: Int) {
    if settlement.attempt > 1 || settlement.result.retryDelay != nil {
      items[step, default: Items()].attempts[item] = min(max(1, settlement.attempt), 65_535)
    }
    // Another attempt or a recovery follows. If the run ended before that, the item counts as cancelled.
    let isFollowed = settlement.result.retryDelay != nil || recovers(from: settlement.work, of: step)
    if case .failed = settlement.result, isFollowed {
      items[step, default: Items()].unfinished.insert(item)
      return
    }
    items[step, default: Items()].unfinished.remove(item)
    switch settlement.result {
    case .failed: items[step, default: Items()].failed += 1
    case .cancelled: items[step, default: Items()].cancelled += 1
    case .succeeded, .skipped, .chosen, .entered, .planned, .pulledAll: items[step, default: Items()].succeeded += 1
    }
  }

  /// Returns true if a recovery follows the last failure of some work.
  private func recovers(from work: RunWork, of step: Int) -> Bool {
    work.isAttempt && !cutOffWork.contains(work) && blueprint.steps[step].options?.attempts?.recovers == true
  }

  /// Records the work that was under way when the run's end was decided.
  private mutating func cutOff(_ work: [RunWork]) {
    endBranches()
    cutOffWork.formUnion(work)
  }

  private mutating func store(_ step: Int, _ state: FlowRecord.State, at date: Date?, attempt: Int) {
    facts.store(step, state, endedBefore: date, attempt: attempt)
  }

  /// Adds the counts of items, ends the steps that are still running, and returns the facts.
  private mutating func end() -> RunFacts {
    for (step, found) in items {
      let retried = found.attempts.filter { $0.value > 1 }
      facts.store(
        FlowReport.Items(
          total: found.total, succeeded: found.succeeded, failed: found.failed,
          cancelled: found.cancelled + found.unfinished.count),
        retriedItems: retried.count, attempts: retried.values.reduce(0) { $0 + $1 - 1 }, of: step)
    }
    endBranches()
    facts.endOpenSteps()
    return facts
  }

  /// Ends the steps whose chosen branches are complete, because no entry reports that.
  ///
  /// Drops the other branches, which later entries can't complete.
  private mutating func endBranches() {
    // The steps in a branch have higher numbers than the step around them, and have to end before it.
    for (step, branch) in branches.sorted(by: { $0.key > $1.key }) where isAtEnd(branch, of: step) {
      store(step, .succeeded, at: nil, attempt: 1)
    }
    branches = [:]
  }

  /// Returns true if all steps of a branch succeeded or were skipped, at least up to cases of which none matched.
  private func isAtEnd(_ branch: Int, of step: Int) -> Bool {
    guard case .cases(let cases) = blueprint.steps[step].kind, cases.branches.indices.contains(branch) else {
      return false
    }
    for inner in blueprint.blocks[cases.branches[branch].block].steps {
      if endsEarly(inner) { return true }
      switch facts.steps[inner].state {
      case .succeeded, .skipped: continue
      case .waiting, .running, .failed, .cancelled, .neverRan: return false
      }
    }
    return true
  }

  /// Returns true if none of a step's cases matched, or if a step of its chosen branch ends early.
  private func endsEarly(_ step: Int) -> Bool {
    if earlyEnds.contains(step) { return true }
    guard case .cases(let cases) = blueprint.steps[step].kind, let branch = branches[step],
      cases.branches.indices.contains(branch)
    else { return false }
    return blueprint.blocks[cases.branches[branch].block].steps.contains(where: endsEarly)
  }
}
