import Foundation
import OperationFlow

/// The ends of the steps of a run that has ended, from the entries of its journal.
struct EndedSteps {
  /// The counts of a group's items.
  private struct Items {
    var total: Int?
    var (succeeded, failed, cancelled) = (0, 0, 0)
    /// The last attempt at each item that was tried again.
    var attempts: [Int: Int] = [:]
    /// The items whose last attempt has failed, and is followed by something.
    var unfinished: Set<Int> = []
  }

  private let blueprint: Blueprint

  private var facts: RunFacts
  private var items: [Int: Items] = [:]
  /// The branch that each of the cases has taken.
  private var branches: [Int: Int] = [:]
  /// The cases of which none matched: they end the flow, or the branch around them.
  private var earlyEnds: Set<Int> = []
  /// The work that was under way when the run's end was decided: nothing follows it.
  private var cutOffWork: Set<RunWork> = []

  /// Adds what the entries between the first and the last one say to facts about the run.
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
            note(step, .succeeded, at: nil, attempt: 1)
          }
        }
      }
    case .decided(let decision): cutOff(decision.claimed)
    case .begun, .ended, .waits, .rests, .begins, .left: break
    }
  }

  private mutating func add(_ settlement: JournalSettlement) {
    // An entry may have any numbers.
    let (work, attempt, date) = (settlement.work, min(max(1, settlement.attempt), 65_535), settlement.date)
    if let claimed = settlement.parts.claimed { cutOff(claimed) }
    guard let step = work.step, blueprint.steps.indices.contains(step), work.kind != .undo, work.kind != .handOn else {
      return
    }
    if let item = work.item { return add(settlement, item: item, of: step) }
    switch (work.kind, settlement.result) {
    // A sequence that was cut off has not come to its own end.
    case (.pull, .pulledAll) where cutOffWork.contains(work): break
    case (.pull, .pulledAll(let count)): items[step, default: Items()].total = count
    case (.plan, .planned(let count, _)):
      items[step, default: Items()].total = count
      note(step, .running, at: nil, attempt: 1)
    case (.check, .skipped): note(step, .skipped, at: date, attempt: attempt)
    case (.check, .succeeded), (.pull, _): break
    case (.choose, .chosen(let branch)):
      guard let branch else {
        note(step, .succeeded, at: date, attempt: attempt)
        if cutOffWork.contains(work) { return }
        facts.endEarly(at: step)
        earlyEnds.insert(step)
        return
      }
      note(step, .running, at: nil, attempt: attempt)
      facts.takeBranch(branch, of: step)
      branches[step] = branch
    case (_, .failed(_, let delay)):
      let isFollowed = delay != nil || recovers(from: work, of: step)
      note(step, isFollowed ? .running : .failed, at: date, attempt: attempt)
    case (_, .cancelled): note(step, .cancelled, at: date, attempt: attempt)
    case (_, .entered): note(step, .running, at: nil, attempt: attempt)
    default: note(step, .succeeded, at: date, attempt: attempt)
    }
  }

  private mutating func add(_ settlement: JournalSettlement, item: Int, of step: Int) {
    if settlement.attempt > 1 || settlement.result.retryDelay != nil {
      items[step, default: Items()].attempts[item] = min(max(1, settlement.attempt), 65_535)
    }
    // Another attempt or a recovery follows, unless the run's end has come before it.
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

  /// True if a recovery follows the last failure of some work.
  private func recovers(from work: RunWork, of step: Int) -> Bool {
    work.isAttempt && !cutOffWork.contains(work) && blueprint.steps[step].options?.attempts?.recovers == true
  }

  /// Notes what was under way when the run's end was decided.
  private mutating func cutOff(_ work: [RunWork]) {
    endBranches()
    cutOffWork.formUnion(work)
  }

  private mutating func note(_ step: Int, _ state: StepState, at date: Date?, attempt: Int) {
    facts.note(step, state, endedBefore: date, attempt: attempt)
  }

  /// The facts, in which nothing is under way any more.
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

  /// Ends the cases whose branches are at their ends, which no entry says; what is cut off now ends none any more.
  private mutating func endBranches() {
    // Steps within others come after them.
    for (step, branch) in branches.sorted(by: { $0.key > $1.key }) where isAtEnd(branch, of: step) {
      note(step, .succeeded, at: nil, attempt: 1)
    }
    branches = [:]
  }

  /// True if all steps of a branch have ended well, or those before cases of which none matched.
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

  /// True if no case of a step has matched, or of one at the end of the branch that it has taken.
  private func endsEarly(_ step: Int) -> Bool {
    if earlyEnds.contains(step) { return true }
    guard case .cases(let cases) = blueprint.steps[step].kind, let branch = branches[step],
      cases.branches.indices.contains(branch)
    else { return false }
    return blueprint.blocks[cases.branches[branch].block].steps.contains(where: endsEarly)
  }
}
