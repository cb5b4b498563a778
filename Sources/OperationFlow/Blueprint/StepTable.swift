/// The facts about a blueprint's steps that reports need; it holds none of their work, so it may be kept after a run.
package final class StepTable: Sendable {
  let paths: PathTable
  /// What each step declares to read and write.
  let ports: [StepPorts]
  private let facts: [ClaimFacts]

  init(_ facts: [ClaimFacts], paths: PathTable, ports: [StepPorts]) {
    (self.facts, self.paths, self.ports) = (facts, paths, ports)
  }

  package var count: Int { facts.count }

  /// What a step does.
  package func kind(of step: Int) -> FlowStepKind { facts[step].kind }

  /// What was said about a step where it was added.
  package func marks(of step: Int) -> StepMarks { facts[step].marks }

  /// The same steps with different paths.
  func with(_ paths: PathTable) -> StepTable { StepTable(facts, paths: paths, ports: ports) }
}

/// The options of a step that a diagram shows.
package struct StepMarks: OptionSet, Sendable {
  package let rawValue: UInt8

  package static let undo = StepMarks(rawValue: 1)
  package static let condition = StepMarks(rawValue: 2)
  package static let retry = StepMarks(rawValue: 4)
  package static let timeout = StepMarks(rawValue: 8)
  package static let wait = StepMarks(rawValue: 16)

  package init(rawValue: UInt8) { self.rawValue = rawValue }
}
