/// Finds what became of each step and branch, also of those that a run did not reach, from what it has kept.
final class StepStates {
  enum Absence: Sendable {
    /// It is in a branch that was not taken, or in a step that was skipped.
    case branch
    /// It is after cases of which none matched, given by their place among the early ends.
    case early(Int)
    /// The run ended before it.
    case never
  }

  private let facts: RunFacts
  private let table: BlueprintFacts
  /// Why the steps beside each step that have not begun haven't: the reason is the same for all of them.
  private var absences: [Absence]
  /// The place of each branch among those of its step.
  private var branchIndices: [Int]
  /// The flows and branches with steps of their own that have neither succeeded nor been skipped.
  private var unfinished: Set<Int> = []
  /// The early ends by what they ended: a flow, a branch, or the run, which is -1.
  private var early = [Int: Int]()

  init(_ facts: RunFacts, _ table: BlueprintFacts) {
    self.facts = facts
    self.table = table
    absences = Array(repeating: .never, count: table.paths.count)
    branchIndices = Array(repeating: 0, count: table.paths.count)
    var counts = branchIndices
    for (index, end) in facts.earlyEnds.enumerated() { early[table.nodeEnded(by: end.cases) ?? -1] = index }
    for node in table.paths.outermostFirst {
      let parent = table.paths.parent(of: node)
      let isBranch = table.paths.isBranch(node)
      if let parent, isBranch {
        branchIndices[node] = counts[parent]
        counts[parent] += 1
      } else if let parent, facts.steps[node].state != .succeeded, facts.steps[node].state != .skipped {
        unfinished.insert(parent)
      }
      absences[node] = absence(within: isBranch ? node : parent)
    }
  }

  /// Why a step never began; `nil` if it did.
  func absence(of step: Int) -> Absence? { facts.hasBegun(step) ? nil : absences[step] }

  /// Why those steps of a flow, a branch or the run have not begun that haven't.
  private func absence(within parent: Int?) -> Absence {
    guard let parent else { return ended(-1) }
    let owner = table.paths.isBranch(parent) ? table.paths.parent(of: parent) ?? parent : parent
    guard facts.hasBegun(owner) else { return absences[owner] }
    let fact = facts.steps[owner]
    if fact.state == .skipped { return .branch }
    if table.kind(of: owner) != .cases { return ended(parent) }
    if Int(fact.branch) == branchIndices[parent] { return absences[owner] }
    // Cases that have chosen no branch have run none.
    let hasChosen = fact.branch >= 0 || fact.state == .succeeded
    return hasChosen ? .branch : .never
  }

  private func ended(_ node: Int) -> Absence { early[node].map { .early($0) } ?? .never }

  /// What became of a step or branch; while the run is under way, `started` are the steps that are known to have begun.
  ///
  /// A step of one piece of work is only noted at its end.
  func state(of node: Int, started: Set<Int>? = nil) -> StepState {
    if table.paths.isBranch(node) { return state(ofBranch: node, started) }
    let state = facts.steps[node].state
    switch (state, absences[node], started) {
    case (.running, _, nil): return .cancelled
    case (.waiting, .never, nil): return .neverRan
    case (.waiting, _, nil): return .skipped
    case (.waiting, _, let started?) where started.contains(node): return .running
    case (.waiting, .branch, _?): return .skipped
    default: return state
    }
  }

  /// What became of a branch: whether it was taken, or for a parallel step, what became of that step.
  private func state(ofBranch node: Int, _ started: Set<Int>?) -> StepState {
    let hasEnded = started == nil
    guard let owner = table.paths.parent(of: node) else { return hasEnded ? .neverRan : .waiting }
    guard facts.hasBegun(owner) else { return state(of: owner, started: started) }
    if case .branch = absences[node] { return .skipped }
    let fact = facts.steps[owner]
    let isOfCases = table.kind(of: owner) == .cases
    let isOpen = fact.state == .running && !hasEnded
    if isOfCases, branchIndices[node] != Int(fact.branch) { return isOpen ? .waiting : .neverRan }
    if isOpen || fact.state == .succeeded { return fact.state }
    // A branch of cases ends like the cases, a parallel one like what is in it.
    if isOfCases && fact.state == .failed || facts.failureOfOpen(node) != nil { return .failed }
    return isOfCases || unfinished.contains(node) ? .cancelled : .succeeded
  }
}
