/// Finds out what the steps of a blueprint declare, perhaps with operations that are made for that alone.
struct PortFinder: ~Copyable {
  private(set) var isRemembered = false
  private(set) var repeatedSteps: [Blueprint.StepID] = []
  private let blueprint: Blueprint
  private let makesAll: Bool
  private let remembers: Bool
  /// The operations that something else holds too; empty as long as each was created for its step alone.
  private var held = [ObjectIdentifier: FlowOperation]()

  init(_ blueprint: Blueprint, makesAll: Bool, remembers: Bool) {
    (self.blueprint, self.makesAll, self.remembers) = (blueprint, makesAll, remembers && !makesAll)
  }

  mutating func ports(of id: Blueprint.StepID) -> StepPorts {
    // A step is read in parts, because it costs more to copy than most of this.
    guard blueprint.claimFacts[id].marks.contains(makesAll ? .declarations : .ports) else { return .undeclared }
    switch blueprint.steps[id].kind {
    case .operation(.instance(let instance)):
      let operation = instance.held
      return ports(of: id, operation, operation.map { OperationType.of(Swift.type(of: $0)) })
    case .operation(.factory(let type, let make)):
      // Without captures, its class and its code alone decide what the step declares.
      let code = !hasDeclaringTraits(id) && !type.hidesProperties ? FactoryCode(make) : nil
      if remembers, let code, let known = type.checked.withLock({ $0.byFactory[code] }) as? StepPorts {
        isRemembered = true
        return known
      }
      guard makesAll || type.mayHavePorts else { return ports(of: id, nil, nil) }
      var made = Optional(make())
      let madeType = made.map { OperationType.of($0, expecting: type) }
      let ports = ports(of: id, made, madeType)
      // A factory that makes something of another class than its own may do so now and then.
      if release(&made, madeType, madeFor: id), let code, type === madeType, type.declaresPorts {
        type.checked.withLock { $0.byFactory[code] = ports }
      }
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
    let known = type.checked.withLock { $0.last } as? StepPorts
    if let known, known.describe(operation, type.ports) { return known }
    let made = StepPorts(blueprint.steps[id], operation)
    type.checked.withLock { $0.last = made }
    return made
  }

  private func hasDeclaringTraits(_ id: Blueprint.StepID) -> Bool {
    !blueprint.claimFacts[id].marks.isDisjoint(with: .declaring)
  }

  /// Releases an operation that was created for a step; false if something else may hold it.
  private mutating func release(
    _ made: inout FlowOperation?, _ type: OperationType?, madeFor step: Blueprint.StepID
  ) -> Bool {
    let isAlone = isKnownUniquelyReferenced(&made)
    if !isAlone, let operation = made {
      if held.isEmpty {
        for case let added? in blueprint.instanceSteps.map({ blueprint.steps[$0].instance?.held }) {
          held[ObjectIdentifier(added)] = added
        }
      }
      // It is held, so that no other object takes its address.
      if held.updateValue(operation, forKey: ObjectIdentifier(operation)) != nil { repeatedSteps.append(step) }
    }
    FlowOperation.release(&made, type)
    return isAlone
  }

  mutating func releaseHeld() {
    var operations = exchange(&held, with: .init()).values.map(Optional.init)
    for index in operations.indices { FlowOperation.release(&operations[index]) }
  }
}
