/// The facts about a blueprint's steps that reports need; it holds none of their work, so it may be kept after a run.
package final class StepTable: Sendable {
  let paths: PathTable
  /// What each step does.
  package let kinds: [FlowStepKind]
  /// What each step declares to read and write.
  let ports: [StepPorts]
  /// What was said about each step where it was added.
  package let marks: [StepMarks]

  convenience init(_ blueprint: Blueprint, paths: PathTable, ports: [StepPorts]) {
    let steps = blueprint.steps.indices
    self.init(
      paths: paths, kinds: steps.map { blueprint.publicKind(of: $0) }, ports: ports,
      marks: blueprint.hasSpecialSteps
        ? steps.map { blueprint.steps[$0].options.special?.marks ?? [] } : Array(repeating: [], count: steps.count))
  }

  private init(paths: PathTable, kinds: [FlowStepKind], ports: [StepPorts], marks: [StepMarks]) {
    self.paths = paths
    self.kinds = kinds
    self.ports = ports
    self.marks = marks
  }

  /// The same steps with different paths.
  func with(_ paths: PathTable) -> StepTable {
    StepTable(paths: paths, kinds: kinds, ports: ports, marks: marks)
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

extension Blueprint {
  /// What a step does, in the form that users see; the step isn't copied as a whole.
  fileprivate func publicKind(of id: StepID) -> FlowStepKind {
    switch steps[id].kind {
    case .operation(.instance(let instance)):
      .operation(type: instance.held.map { TypeName.of(type(of: $0)) } ?? steps[id].name)
    case .operation(.factory(let type, _)): .operation(type: type.name)
    case .closure(.sync): .closure(isAsynchronous: false)
    case .closure(.async): .closure(isAsynchronous: true)
    case .group(let group): .group(width: group.width, tolerance: group.tolerance, isStream: group.isStream)
    case .cases: .cases
    case .flow: steps[id].isAlways ? .always : .flow
    case .parallel: .parallel
    }
  }
}
