/// The facts about a blueprint's steps that reports need; it holds none of their work, so it may be kept after a run.
package final class StepTable: Sendable {
  let paths: PathTable
  private let facts: [ClaimFacts]
  /// What each step declares to read and write.
  let ports: [StepPorts]
  /// What was said about each step where it was added.
  package let marks: [StepMarks]

  convenience init(_ blueprint: Blueprint, paths: PathTable, ports: [StepPorts]) {
    self.init(
      paths: paths, facts: blueprint.claimFacts, ports: ports,
      marks: blueprint.hasSpecialSteps
        ? blueprint.steps.indices.map { blueprint.steps[$0].options.special?.marks ?? [] }
        : Array(repeating: [], count: blueprint.steps.count))
  }

  private init(paths: PathTable, facts: [ClaimFacts], ports: [StepPorts], marks: [StepMarks]) {
    self.paths = paths
    self.facts = facts
    self.ports = ports
    self.marks = marks
  }

  package var count: Int { facts.count }

  /// What a step does.
  package func kind(of step: Int) -> FlowStepKind { facts[step].kind }

  /// The same steps with different paths.
  func with(_ paths: PathTable) -> StepTable {
    StepTable(paths: paths, facts: facts, ports: ports, marks: marks)
  }
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
