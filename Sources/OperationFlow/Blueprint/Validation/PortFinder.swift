/// Finds out what the steps of a blueprint declare, perhaps with operations that are made for that alone.
struct PortFinder: ~Copyable {
  private let blueprint: Blueprint
  private let makesAll: Bool
  private var repeatedSteps: [Blueprint.StepID] = []
  /// The operations that something else holds too; empty as long as each was created for its step alone.
  private var held = [ObjectIdentifier: FlowOperation]()

  private init(_ blueprint: Blueprint, makesAll: Bool) {
    self.blueprint = blueprint
    self.makesAll = makesAll
  }

  /// The ports of all steps, and the steps whose factory has made the same operation as that of an earlier step.
  static func ports(
    of blueprint: Blueprint, makesAll: Bool
  ) -> (ports: [StepPorts], repeatedSteps: [Blueprint.StepID]) {
    let count = blueprint.steps.count
    if blueprint.declaresNothing { return (Array(repeating: .undeclared, count: count), []) }
    var finder = PortFinder(blueprint, makesAll: makesAll)
    var ports: [StepPorts] = []
    for step in blueprint.steps.indices { ports.append(finder.ports(of: step)) }
    finder.releaseHeld()
    return (ports, finder.repeatedSteps)
  }

  private mutating func ports(of id: Blueprint.StepID) -> StepPorts {
    // A step is read in parts, because it costs more to copy than most of this.
    guard blueprint.claimFacts[id].marks.contains(makesAll ? .declarations : .ports) else { return .undeclared }
    switch blueprint.steps[id].kind {
    case .operation(.instance(let instance)):
      let operation = instance.held
      return ports(of: id, operation, operation.map { OperationType.of(Swift.type(of: $0)) })
    case .operation(.factory(let type, let make)):
      guard makesAll || type.mayHavePorts else { return ports(of: id, nil, nil) }
      var made = Optional(make())
      let madeType = made.map { OperationType.of($0, expecting: type) }
      let ports = ports(of: id, made, madeType)
      release(&made, madeType, madeFor: id)
      return ports
    case .closure, .group, .cases, .flow, .parallel: return StepPorts(blueprint.steps[id], nil)
    }
  }

  /// Those of an operation are shared, unless the step's options add to them.
  private func ports(of id: Blueprint.StepID, _ operation: FlowOperation?, _ type: OperationType?) -> StepPorts {
    if hasDeclaringTraits(id) { return StepPorts(blueprint.steps[id], operation) }
    guard let operation, let type, type.mayHavePorts else { return .undeclared }
    // Whether ports are hidden is known only of each operation.
    if type.hidesProperties { return StepPorts(blueprint.steps[id], operation) }
    let known = type.checkedLast.withLock { $0 } as? StepPorts
    if let known, known.describe(operation, type.ports) { return known }
    let made = StepPorts(blueprint.steps[id], operation)
    type.checkedLast.withLock { $0 = made }
    return made
  }

  private func hasDeclaringTraits(_ id: Blueprint.StepID) -> Bool {
    !blueprint.claimFacts[id].marks.isDisjoint(with: .declaring)
  }

  /// Releases an operation that was created for a step, unless something else holds it, which may be an earlier step.
  private mutating func release(
    _ made: inout FlowOperation?, _ type: OperationType?, madeFor step: Blueprint.StepID
  ) {
    if !isKnownUniquelyReferenced(&made), let operation = made {
      if held.isEmpty {
        for case let added? in blueprint.instanceSteps.map({ blueprint.steps[$0].instance?.held }) {
          held[ObjectIdentifier(added)] = added
        }
      }
      // It is held, so that no other object takes its address.
      if held.updateValue(operation, forKey: ObjectIdentifier(operation)) != nil { repeatedSteps.append(step) }
    }
    FlowOperation.release(&made, type)
  }

  private mutating func releaseHeld() {
    var operations = exchange(&held, with: .init()).values.map(Optional.init)
    for index in operations.indices { FlowOperation.release(&operations[index]) }
  }
}
