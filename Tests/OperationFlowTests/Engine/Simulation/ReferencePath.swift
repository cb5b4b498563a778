@testable import OperationFlow

/// The work of a flow that nobody cancels, in order, found by walking through it.
///
/// Works stand under the steps' numbers. Of a group only the plan and the collecting are in it: its items come between.
final class ReferencePath: Sendable {
  let works: [RunWork]
  /// How the steps end.
  let ends: [Int: SimulatedFlow.End]
  let groups: [Int: SimulatedFlow.Group]

  init(_ flow: SimulatedFlow) {
    var walker = ReferenceWalker()
    walker.walk(through: flow)
    (works, ends, groups) = (walker.works, walker.ends, walker.groups)
  }
}

private struct ReferenceWalker {
  private(set) var works: [RunWork] = []
  private(set) var ends: [Int: SimulatedFlow.End] = [:]
  private(set) var groups: [Int: SimulatedFlow.Group] = [:]

  private enum Walk { case goesOn, leavesFlow, fails }

  mutating func walk(through flow: SimulatedFlow) {
    if walk(flow.steps) != .fails { works.append(.finish) }
  }

  private mutating func walk(_ steps: [SimulatedFlow.Step]) -> Walk {
    for step in steps {
      let walk = walk(step)
      if walk != .goesOn { return walk }
    }
    return .goesOn
  }

  private mutating func walk(_ step: SimulatedFlow.Step) -> Walk {
    switch step.kind {
    case .work(let end):
      works.append(.step(step.number))
      ends[step.number] = end
      return end == .success ? .goesOn : .fails
    case .group(let group):
      works.append(.plan(step.number))
      groups[step.number] = group
      if group.trouble == .plan || group.fails { return .fails }
      works.append(.collect(step.number))
      return group.trouble == .collect ? .fails : .goesOn
    case .cases(let cases):
      works.append(.choose(step.number))
      return cases.taken.map { walk($0.steps) } ?? .leavesFlow
    case .flow(let inner):
      works.append(.enter(step.number))
      if walk(inner) == .fails { return .fails }
      works.append(.leave(step.number))
      return .goesOn
    }
  }
}
