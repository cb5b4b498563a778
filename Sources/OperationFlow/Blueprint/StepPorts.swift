/// The values that a step declares to read and write.
package final class StepPorts: Sendable {
  static let undeclared = StepPorts(nil, nil)

  package let inputs: [StepPort]
  package let outputs: [StepPort]
  /// True if the step may write values that it doesn't declare.
  package let mayWriteAnything: Bool
  package let areUndeclared: Bool
  /// The item that a group's operation reads, and the output that it writes.
  let item: StepPort?
  let itemOutput: StepPort?
  /// The values that a group's operation reads besides its item.
  let itemInputs: [StepPort]
  /// The values that a group's items write into the flow's bucket, if there are any items.
  package let itemWrites: [StepPort]
  let conditionInputs: [StepPort]
  /// The class of operations whose inputs and outputs can't be found, if the step has one.
  package let typeWithHiddenPorts: String?
  let isSensitive: Bool

  /// Creates the ports of a step, or of a closure that declares nothing if there is no step.
  init(_ step: Blueprint.Step?, _ operation: FlowOperation?) {
    var inputs: [StepPort] = []
    var outputs: [StepPort] = []
    var itemInputs: [StepPort] = []
    var itemWrites: [StepPort] = []
    var item: StepPort?
    var itemOutput: StepPort?
    var mayWriteAnything = true
    var areUndeclared = true
    var typeWithHiddenPorts: String?
    switch step?.kind {
    case .closure, nil: break
    case .operation:
      inputs = operation?.inputPorts ?? []
      outputs = operation?.outputPorts ?? []
      typeWithHiddenPorts = operation?.typeWithHiddenPorts()
      // An operation that declares only what it reads may still write with `setData`.
      mayWriteAnything = outputs.isEmpty
      areUndeclared = inputs.isEmpty && outputs.isEmpty && typeWithHiddenPorts == nil
    case .group(let group):
      var operation = group.creator.flatMap { creator in
        OperationType.of(creator).mayHavePorts ? creator.create() : nil
      }
      let itemName = operation?.primaryInputName()
      let outputName = operation?.primaryOutputName()
      let declared = operation?.inputPorts ?? []
      if let input = group.input { inputs.append(input) }
      if let output = group.output { outputs.append(output) }
      // An item's operation writes to its own values. A closure, or a dispatcher with no known output, may write
      // anything.
      mayWriteAnything = group.creator == nil || (group.output == nil && group.keepsOutputs)
      areUndeclared = false
      // These inputs are read from the flow's bucket. A tolerant group may not need them, because its items may fail.
      if group.tolerance == .none { itemInputs = declared.filter { $0.name != itemName } }
      item = declared.first { $0.name == itemName }
      itemOutput = operation?.outputPorts.first { $0.name == outputName }
      typeWithHiddenPorts = operation?.typeWithHiddenPorts()
      FlowOperation.release(&operation)
    case .cases, .flow, .parallel:
      mayWriteAnything = false
      areUndeclared = false
    }
    let conditions = step?.options?.conditions ?? []
    if !conditions.isEmpty { areUndeclared = false }
    conditionInputs = conditions.compactMap(\.input)
    if let kept = step?.options?.results?.kept { outputs.append(kept.port) }
    if let step, let declared = step.options?.declared {
      areUndeclared = false
      inputs += declared.reads ?? []
      let writes = declared.writes ?? []
      if case .group = step.kind { itemWrites = writes } else { outputs += writes }
      if declared.writes != nil { mayWriteAnything = false }
    }
    self.inputs = inputs
    self.outputs = outputs
    self.mayWriteAnything = mayWriteAnything
    self.item = item
    self.itemInputs = itemInputs
    self.itemOutput = itemOutput
    self.itemWrites = itemWrites
    self.areUndeclared = areUndeclared
    self.typeWithHiddenPorts = typeWithHiddenPorts
    let ofItems = itemInputs + itemWrites + [item, itemOutput].compactMap(\.self)
    isSensitive = (conditionInputs + inputs + outputs + ofItems).contains(where: \.isSensitive)
  }

  package var allInputs: [StepPort] { conditionInputs + inputs + itemInputs }
}

/// Finds the ports of a blueprint's steps, and creates operations for that if necessary.
struct PortFinder: ~Copyable {
  private let blueprint: Blueprint
  private let makesAll: Bool
  private var repeatedSteps: [Blueprint.StepID] = []
  /// The created operations that something else refers to, and the added ones; empty until there is one.
  private var held = [ObjectIdentifier: FlowOperation]()

  private init(_ blueprint: Blueprint, makesAll: Bool) {
    self.blueprint = blueprint
    self.makesAll = makesAll
  }

  /// Returns the ports of all steps, and the steps whose factory returned an operation that another step also has.
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
    // Only parts of the step are read, because copying the step costs more than most of this function.
    guard blueprint.stepProperties[id].marks.contains(makesAll ? .declarations : .ports) else { return .undeclared }
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

  private func ports(of id: Blueprint.StepID, _ operation: FlowOperation?, _ type: OperationType?) -> StepPorts {
    guard hasDeclaringTraits(id) || operation != nil && type?.mayHavePorts == true else { return .undeclared }
    return StepPorts(blueprint.steps[id], operation)
  }

  private func hasDeclaringTraits(_ id: Blueprint.StepID) -> Bool {
    !blueprint.stepProperties[id].marks.isDisjoint(with: .declaring)
  }

  /// Releases an operation that was created for a step; if something else refers to it too, it is recorded before.
  private mutating func release(
    _ made: inout FlowOperation?, _ type: OperationType?, madeFor step: Blueprint.StepID
  ) {
    if !isKnownUniquelyReferenced(&made), let operation = made {
      if held.isEmpty {
        for case let added? in blueprint.instanceSteps.map({ blueprint.steps[$0].instance?.held }) {
          held[ObjectIdentifier(added)] = added
        }
      }
      // The reference is stored, so that no other object gets the operation's address.
      if held.updateValue(operation, forKey: ObjectIdentifier(operation)) != nil { repeatedSteps.append(step) }
    }
    FlowOperation.release(&made, type)
  }

  private mutating func releaseHeld() {
    var operations = exchange(&held, with: .init()).values.map(Optional.init)
    for index in operations.indices { FlowOperation.release(&operations[index]) }
  }
}
