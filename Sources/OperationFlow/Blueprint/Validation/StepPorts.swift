/// The values that a step declares to read and write.
package final class StepPorts: Sendable {
  /// Those of a closure that declares nothing: it may write anything.
  static let undeclared = StepPorts(Draft([], [], mayWriteAnything: true, areUndeclared: true))

  package let inputs: [InputPort]
  package let outputs: [OutputPort]
  /// Whether it may write values that it doesn't declare.
  package let mayWriteAnything: Bool
  /// Whether nothing at all is known about the step.
  package let areUndeclared: Bool
  /// The value that a group's operation reads as its item; `itemOutput` is the one that it writes as its output.
  let item: InputPort?
  /// The values that it reads besides its item.
  let itemInputs: [InputPort]
  let itemOutput: OutputPort?
  /// The values that a group's items write into the flow's bucket, if there are any items.
  package let itemWrites: [OutputPort]
  /// The values that decide whether it runs at all.
  let conditionInputs: [InputPort]
  /// The class of operations whose inputs and outputs can't be found, if the step has one.
  package let typeWithHiddenPorts: String?
  /// Whether a name is sensitive.
  let isSensitive: Bool
  /// Whether it may read what it has written when it comes again.
  let readsItsOutputs: Bool

  private init(_ draft: Draft) {
    (inputs, outputs) = (draft.inputs, draft.outputs)
    (mayWriteAnything, areUndeclared) = (draft.mayWriteAnything, draft.areUndeclared)
    (item, itemInputs) = (draft.item, draft.itemInputs)
    (itemOutput, itemWrites) = (draft.itemOutput, draft.itemWrites)
    conditionInputs = draft.conditionInputs
    typeWithHiddenPorts = draft.typeWithHiddenPorts
    let reads = conditionInputs + inputs + itemInputs + [item].compactMap(\.self)
    let writes = outputs + itemWrites + [itemOutput].compactMap(\.self)
    isSensitive = reads.contains(where: \.isSensitive) || writes.contains(where: \.isSensitive)
    let written = Set(writes.map(\.name))
    readsItsOutputs = reads.contains { written.contains($0.name) }
  }

  /// All values that it reads from the flow's bucket.
  package var allInputs: [InputPort] { conditionInputs + inputs + itemInputs }

  /// The ports that the step's operation, group and traits declare, with the operation that was created to inspect it, and
  /// its type if that is known.
  static func of(
    _ id: Blueprint.StepID, in blueprint: Blueprint, makesAll: Bool
  ) -> (ports: StepPorts, made: FlowOperation?, type: OperationType?) {
    // A step is read in parts, because it costs more to copy than most of this.
    guard case .operation(let source) = blueprint.steps[id].kind else {
      return (StepPorts(Draft(blueprint.steps[id], nil)), nil, nil)
    }
    switch source {
    case .instance(let instance):
      guard let operation = instance.held else { return (of(id, in: blueprint, nil, nil), nil, nil) }
      operation.adoptNames()
      return (of(id, in: blueprint, operation, OperationType.of(type(of: operation))), nil, nil)
    case .factory(let type, let make):
      // An operation is created in advance only if its class declares something, or if all are requested.
      guard type.declaresPorts || type.hidesProperties else {
        return (of(id, in: blueprint, nil, nil), makesAll ? make() : nil, nil)
      }
      let made = make()
      let type = OperationType.of(made, expecting: type)
      return (of(id, in: blueprint, made, type), made, type)
    }
  }

  /// Those of a step with an operation, which are shared unless the step's options add to them.
  private static func of(
    _ id: Blueprint.StepID, in blueprint: Blueprint, _ operation: FlowOperation?, _ type: OperationType?
  ) -> StepPorts {
    guard blueprint.steps[id].options.arePlain else { return StepPorts(Draft(blueprint.steps[id], operation)) }
    guard let operation, let type, type.declaresPorts || type.hidesProperties else { return undeclared }
    // Whether ports are hidden is known only of each operation.
    if type.hidesProperties { return StepPorts(Draft(blueprint.steps[id], operation)) }
    let known = type.checked.withLock { $0.last } as? StepPorts
    if let known, known.describe(operation, type.ports) { return known }
    let made = StepPorts(Draft(blueprint.steps[id], operation))
    type.checked.withLock { $0.last = made }
    return made
  }

  /// Whether this is what an operation declares whose class has these ports, and no options add to it.
  func describe(_ operation: FlowOperation, _ ports: DeclaredPorts) -> Bool {
    var index = 0
    for property in ports.inputs {
      guard let (port, name) = property.input(of: operation) else { continue }
      guard index < inputs.count, port.declares(inputs, at: index, named: name) else { return false }
      index += 1
    }
    guard index == inputs.count else { return false }
    index = 0
    for property in ports.outputs {
      guard let (port, name) = property.output(of: operation) else { continue }
      guard index < outputs.count, port.declares(outputs, at: index, named: name) else { return false }
      index += 1
    }
    return index == outputs.count
  }
}

/// The ports of a step while they are being found.
private struct Draft {
  var inputs: [InputPort]
  var outputs: [OutputPort]
  var mayWriteAnything: Bool
  var areUndeclared: Bool
  var item: InputPort?
  var itemInputs: [InputPort] = []
  var itemOutput: OutputPort?
  var itemWrites: [OutputPort] = []
  var conditionInputs: [InputPort] = []
  var typeWithHiddenPorts: String? {
    didSet { if typeWithHiddenPorts != nil { areUndeclared = false } }
  }

  init(_ step: Blueprint.Step, _ operation: FlowOperation?) {
    self.init(step.kind, operation)
    if !step.options.conditions.isEmpty {
      conditionInputs = step.options.conditions.compactMap(\.input)
      areUndeclared = false
    }
    if let kept = step.options.special?.results?.kept { outputs.append(kept.port) }
    guard let declared = step.options.declared else { return }
    areUndeclared = false
    inputs += declared.reads
    if case .group = step.kind { itemWrites = declared.writes } else { outputs += declared.writes }
    if declared.declaresWrites { mayWriteAnything = false }
  }

  private init(_ kind: Blueprint.Step.Kind, _ operation: FlowOperation?) {
    switch kind {
    case .closure:
      self.init([], [], mayWriteAnything: true, areUndeclared: true)
    case .operation:
      let (inputs, outputs) = (operation?.inputPorts ?? [], operation?.outputPorts ?? [])
      // An operation that declares only what it reads may still write with `setData`.
      self.init(
        inputs, outputs, mayWriteAnything: outputs.isEmpty, areUndeclared: inputs.isEmpty && outputs.isEmpty)
      hide(operation)
    case .group(let group):
      var operation = group.ports.creator.flatMap { creator in
        let type = OperationType.of(creator)
        return type.declaresPorts || type.hidesProperties ? creator.create() : nil
      }
      let itemName = operation?.primaryInputName()
      let inputs = operation?.inputPorts ?? []
      // An item's operation writes to its own values; a closure, or an unknown dispatcher, may write anything.
      let isKnown = group.ports.creator != nil && (group.ports.output != nil || !group.keepsOutputs)
      // The values that the operation reads besides its item come from the flow's bucket, as for any other step; but if
      // failures are tolerated, items may do without.
      let others = group.tolerance == .none ? inputs.filter { $0.name != itemName } : []
      self.init(
        [group.ports.input].compactMap(\.self), [group.ports.output].compactMap(\.self), mayWriteAnything: !isKnown)
      itemInputs = others
      item = inputs.first { $0.name == itemName }
      let outputName = operation?.primaryOutputName()
      itemOutput = operation?.outputPorts.first { $0.name == outputName }
      hide(operation)
      FlowOperation.release(&operation)
    case .cases, .flow, .parallel:
      self.init([], [], mayWriteAnything: false)
    }
  }

  init(
    _ inputs: [InputPort], _ outputs: [OutputPort], mayWriteAnything: Bool, areUndeclared: Bool = false
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.mayWriteAnything = mayWriteAnything
    self.areUndeclared = areUndeclared
  }

  private mutating func hide(_ operation: FlowOperation?) {
    if let operation, operation.hasHiddenPorts { typeWithHiddenPorts = TypeName.of(type(of: operation)) }
  }
}
