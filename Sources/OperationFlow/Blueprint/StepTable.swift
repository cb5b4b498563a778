/// The facts about a blueprint's steps that reports need; it holds none of their work, so it may be kept after a run.
final class StepTable: Sendable {
  let paths: PathTable
  /// What each step does.
  let kinds: [FlowBlueprint.Kind]

  convenience init(_ blueprint: Blueprint, paths: PathTable) {
    self.init(paths: paths, kinds: blueprint.steps.map(\.publicKind))
  }

  private init(paths: PathTable, kinds: [FlowBlueprint.Kind]) {
    self.paths = paths
    self.kinds = kinds
  }

  /// The same steps with different paths.
  func with(_ paths: PathTable) -> StepTable { StepTable(paths: paths, kinds: kinds) }
}

extension Blueprint.Step {
  /// What the step does, in the form that users see.
  var publicKind: FlowBlueprint.Kind {
    switch kind {
    case .operation(.instance(let instance)):
      .operation(type: instance.held.map { TypeName.of(type(of: $0)) } ?? name)
    case .operation(.factory(let type, _)): .operation(type: type.name)
    case .closure(.sync): .closure(isAsynchronous: false)
    case .closure(.async): .closure(isAsynchronous: true)
    case .group(let group): .group(width: group.width, tolerance: group.tolerance, isStream: group.isStream)
    case .cases: .cases
    case .flow: isAlways ? .always : .flow
    case .parallel: .parallel
    }
  }
}
