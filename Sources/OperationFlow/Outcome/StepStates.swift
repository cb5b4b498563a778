/// Finds what became of the steps that a run did not reach, from what it has kept about the others.
final class StepStates {
  /// Why a step never began.
  enum Absence: Sendable {
    /// It is in a branch that was not taken, or in a step that was skipped.
    case branch
    /// It is after cases of which none matched, given by their place among the early ends.
    case early(Int)
    /// The run ended before it.
    case never
  }

  private let facts: RunFacts
  private let table: StepTable
  /// Why the steps beside a node that have not begun haven't: the reason is the same for all of them.
  private var known: [Absence?]
  /// The place of each branch among those of its step.
  private var branchIndices: [Int]
  /// The early ends by what they ended: a flow, a branch, or the run, which is -1.
  private var early: [Int: Int] = [:]

  init(_ facts: RunFacts, _ table: StepTable) {
    self.facts = facts
    self.table = table
    known = Array(repeating: nil, count: table.paths.count)
    branchIndices = Array(repeating: 0, count: table.paths.count)
    var counts = branchIndices
    for node in table.count..<max(table.count, table.paths.count) {
      guard let parent = table.paths.parent(of: node) else { continue }
      branchIndices[node] = counts[parent]
      counts[parent] += 1
    }
    for (index, end) in facts.earlyEnds.enumerated() { early[endedNode(by: end.cases)] = index }
  }

  /// The place of a branch among those of its step, counted from 0.
  func branchIndex(of branch: Int) -> Int { branchIndices[branch] }

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
  ///
  /// It is found without recursion, and once for each place.
  func absence(of step: Int) -> Absence? {
    guard !facts.hasBegun(step) else { return nil }
    var climbed: [Int] = []
    var node = step
    var found: Absence?
    while found == nil {
      found = known[node]
      guard found == nil else { break }
      climbed.append(node)
      guard let parent = table.paths.parent(of: node) else {
        found = ended(-1)
        break
      }
      let owner = table.paths.isBranch(parent) ? table.paths.parent(of: parent) ?? parent : parent
      if facts.hasBegun(owner) {
        if facts.wasSkipped(owner) {
          found = .branch
        } else if table.kind(of: owner) != .cases {
          found = ended(parent)
        } else if Int(facts.steps[owner].branch) != branchIndices[parent] {
          let hasChosen = facts.steps[owner].branch >= 0 || facts.steps[owner].state == .succeeded
          found = hasChosen ? .branch : .never
        }
      }
      node = owner
    }
    for node in climbed { known[node] = found }
    return found
  }

  private func ended(_ node: Int) -> Absence { early[node].map { .early($0) } ?? .never }
}
