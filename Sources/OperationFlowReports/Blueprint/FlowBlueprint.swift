import OperationFlow

/// The structure of a flow, as a value that you can use for diagrams, exports and comparisons.
///
/// The blueprint doesn't change: it doesn't contain steps that are added to the flow later.
public struct FlowBlueprint: Sendable {
  /// The flow's name.
  public let name: String
  private let source: Source

  /// The storage that all steps of the blueprint refer to.
  ///
  /// A class, so that a copy of a step doesn't copy the whole storage.
  package final class Source: Sendable {
    package let blueprint: Blueprint
    package let facts: BlueprintFacts

    init(_ blueprint: Blueprint, _ facts: BlueprintFacts) { (self.blueprint, self.facts) = (blueprint, facts) }

    /// Returns the steps of a block, in order; the steps that always run at the end are last.
    func steps(of block: Blueprint.BlockID) -> [Step] {
      let block = blueprint.blocks[block]
      return (block.steps + block.always.flatMap { blueprint.blocks[$0].steps }).map { Step(id: $0, source: self) }
    }
  }

  package init(name: String, _ blueprint: Blueprint, _ facts: BlueprintFacts) {
    self.name = name
    source = Source(blueprint, facts)
  }

  /// The steps of the flow itself, in order; the steps that always run at the end are last.
  public var steps: [Step] { source.steps(of: Blueprint.root) }

  /// All steps, each before those within it.
  public var allSteps: [Step] {
    var found: [Step] = []
    var waiting = Array(steps.reversed())
    while let step = waiting.popLast() {
      found.append(step)
      waiting += step.branches.flatMap(\.steps).reversed()
    }
    return found
  }
}

extension FlowBlueprint {
  /// A step of the flow, with the steps within it.
  public struct Step: Sendable, CustomStringConvertible {
    package let id: Blueprint.StepID
    package let source: Source
    /// The step in the plan; the getter is never inlined, because the code that copies a step is long.
    package var step: Blueprint.Step { @inline(never) get { source.blueprint.steps[id] } }

    /// The path of the step; unique in the blueprint, and the same in every process that builds the same flow.
    public var path: FlowPath { source.facts.paths.path(of: id) ?? FlowPath(name) }
    /// The name of the step in summaries.
    public var name: String { step.name }
    /// The share of the step in a run's progress, compared with the steps beside it.
    public var weight: Int { step.weight }
    /// The values that the step declares to read; for a group, those that the group reads from the flow's bucket.
    public var inputs: [Port] { source.facts.ports[id].allInputs.map(Port.init) }
    /// The values that the step declares to write.
    public var outputs: [Port] { source.facts.ports[id].outputs.map(Port.init) }
    /// True if the step may write values that it doesn't declare.
    public var mayWriteAnything: Bool { source.facts.ports[id].mayWriteAnything }

    /// True if the step can be undone, because it was added with an `.undo`.
    public var hasUndo: Bool { step.options?.undo != nil }

    /// True if the step was added with a condition, `.when`, so that it may be skipped.
    public var hasCondition: Bool { step.options?.conditions.isEmpty == false }

    /// The options of the step, or of each item of a group.
    package var options: Set<FlowRecord.Option> { FlowRecord.Option.all(in: source.facts.marks(of: id)) }

    /// The kind of the step.
    public var kind: Kind { source.facts.kind(of: id) }

    /// The blocks of steps in the step: the branches of cases or of a parallel step, or the single block of a flow.
    public var branches: [Branch] {
      switch step.kind {
      case .operation, .closure, .group: []
      case .flow(let block, _, _): [Branch(name: name, condition: nil, steps: source.steps(of: block))]
      case .cases(let cases):
        cases.branches.map {
          let condition = source.facts.shown($0.condition)
          return Branch(name: condition.text, condition: condition, steps: source.steps(of: $0.block))
        }
      case .parallel(let branches):
        branches.map { Branch(name: $0.name, condition: nil, steps: source.steps(of: $0.block)) }
      }
    }

    /// The path.
    public var description: String { path.description }
  }

  /// The kind of a step: the work that it does, or the steps that it contains.
  public typealias Kind = FlowStepKind

  /// Steps within a step, which run one after another.
  public struct Branch: Sendable {
    /// The condition of the branch, such as `target=A`; for a branch without a condition, its name.
    public let name: String
    /// The condition on which the branch runs; `nil` if the branch always runs.
    public let condition: FlowCase?
    /// The steps of the branch, in order.
    public let steps: [Step]
  }

  /// A key that a step declares.
  public struct Port: Sendable, Hashable {
    /// The key's name.
    public let name: String
    /// The name of the value's type; `nil` if the type isn't known.
    public let type: String?
    /// True if the step fails when the value is missing; false for values that the step writes.
    public let isRequired: Bool
    /// True if the value is shown as `<redacted>`.
    public let isSensitive: Bool
    /// True if the key's values can be written as JSON and read again, or if the type isn't known.
    package let isCodable: Bool

    package init(_ port: StepPort) {
      (name, isRequired, isSensitive) = (port.name, port.isRequired, port.isSensitive)
      (type, isCodable) = (port.type.map(TypeName.of), Self.isCodable(port.type))
    }

    private static func isCodable(_ type: Any.Type?) -> Bool {
      guard let type else { return true }
      return type is any Encodable.Type && type is any Decodable.Type
    }
  }
}

extension FlowBlueprint: CustomStringConvertible {
  /// The flow's name, and a line for each step and branch, of which the first 100 are listed.
  public var description: String { source.blueprint.text(named: name, source.facts.paths) }
}

extension Flow {
  /// The flow's current steps, with their names, paths, kinds and declared keys, as a value to read.
  public var blueprint: FlowBlueprint {
    let launch = makeLaunch()
    return FlowBlueprint(name: name, launch.blueprint, launch.shownFacts)
  }
}
