/// Finds what became of the steps that a run did not reach, from what it has kept about the others.
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
  private(set) var branchIndices: [Int]
  /// The early ends by what they ended: a flow, a branch, or the run, which is -1.
  private var early: [Int: Int] = [:]

  init(_ facts: RunFacts, _ table: BlueprintFacts) {
    (self.facts, self.table) = (facts, table)
    absences = Array(repeating: .never, count: table.paths.count)
    branchIndices = Array(repeating: 0, count: table.paths.count)
    var counts = branchIndices
    for (index, end) in facts.earlyEnds.enumerated() { early[endedNode(by: end.cases)] = index }
    for node in table.paths.outermostFirst {
      let parent = table.paths.parent(of: node)
      if !table.paths.isBranch(node) {
        absences[node] = absence(within: parent)
      } else if let parent {
        branchIndices[node] = counts[parent]
        counts[parent] += 1
      }
    }
  }

  /// The flow or the branch that ends where no case matches; -1 for the run.
  func endedNode(by cases: Int) -> Int {
    var node = cases
    while let parent = table.paths.parent(of: node) {
      guard table.paths.isBranch(parent), let owner = table.paths.parent(of: parent), table.kind(of: owner) == .cases
      else { return parent }
      node = owner
    }
    return -1
  }

  /// Why a step never began; `nil` if it did.
  func absence(of step: Int) -> Absence? { facts.hasBegun(step) ? nil : absences[step] }

  /// Why those steps of a flow, a branch or the run have not begun that haven't.
  private func absence(within parent: Int?) -> Absence {
    guard let parent else { return ended(-1) }
    let owner = table.paths.isBranch(parent) ? table.paths.parent(of: parent) ?? parent : parent
    guard facts.hasBegun(owner) else { return absences[owner] }
    if facts.wasSkipped(owner) { return .branch }
    if table.kind(of: owner) != .cases { return ended(parent) }
    let fact = facts.steps[owner]
    if Int(fact.branch) == branchIndices[parent] { return absences[owner] }
    let hasChosen = fact.branch >= 0 || fact.state == .succeeded
    return hasChosen ? .branch : .never
  }

  private func ended(_ node: Int) -> Absence { early[node].map { .early($0) } ?? .never }
}
