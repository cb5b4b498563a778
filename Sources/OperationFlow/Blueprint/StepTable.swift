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
