/// The values that a step declares to read and write.
final class StepPorts: Sendable {
  /// Those of a closure that declares nothing: it may write anything.
  static let undeclared = StepPorts(Draft([], [], mayWriteAnything: true, areUndeclared: true))

  let inputs: [InputPort]
  let outputs: [OutputPort]
  /// Whether it may write values that it doesn't declare.
  let mayWriteAnything: Bool
  /// Whether nothing at all is known about the step.
  let areUndeclared: Bool
  /// The value that a group's operation reads as its item; `itemOutput` is the one that it writes as its output.
  let item: InputPort?
  /// The values that it reads besides its item.
  let itemInputs: [InputPort]
  let itemOutput: OutputPort?
  /// The values that a group's items write into the flow's bucket, if there are any items.
  let itemWrites: [OutputPort]
  /// The values that decide whether it runs at all.
  let conditionInputs: [InputPort]
  /// The class of operations whose inputs and outputs can't be found, if the step has one.
  let typeWithHiddenPorts: String?

  private init(_ draft: Draft) {
    (inputs, outputs) = (draft.inputs, draft.outputs)
    (mayWriteAnything, areUndeclared) = (draft.mayWriteAnything, draft.areUndeclared)
    (item, itemInputs) = (draft.item, draft.itemInputs)
    (itemOutput, itemWrites) = (draft.itemOutput, draft.itemWrites)
    conditionInputs = draft.conditionInputs
    typeWithHiddenPorts = draft.typeWithHiddenPorts
  }

  /// All values that it reads from the flow's bucket.
  var allInputs: [InputPort] { conditionInputs + inputs + itemInputs }

  /// The names that steps declare to read or write with keys that aren't stored.
  static func unstoredNames(in ports: [StepPorts]) -> Set<String> {
    var names: Set<String> = []
    for ports in ports where !ports.areUndeclared {
      names.formUnion(ports.allInputs.filter { !$0.isStored }.map(\.name))
      names.formUnion((ports.outputs + ports.itemWrites).filter { !$0.isStored }.map(\.name))
    }
    return names
  }

  /// The ports that the step's operation, group and traits declare, with the operation that was created to inspect it.
  static func of(_ step: Blueprint.Step, makesAll: Bool) -> (ports: StepPorts, made: FlowOperation?) {
    guard case .operation(let source) = step.kind else { return (StepPorts(Draft(step, nil)), nil) }
    switch source {
    case .instance(let instance): return (StepPorts(Draft(step, instance.held)), nil)
    case .factory(let type, let make):
      // An operation is created in advance only if its class declares something, or if all are requested.
      guard type.declaresPorts || type.hidesProperties else {
        return (StepPorts(Draft(step, nil)), makesAll ? make() : nil)
      }
      let made = make()
      return (StepPorts(Draft(step, made)), made)
    }
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
      let declared = operation?.declaredPorts ?? DeclaredPorts()
      // An operation that declares only what it reads may still write with `setData`.
      self.init(
        declared.inputs.map(\.port), declared.outputs.map(\.port), mayWriteAnything: declared.outputs.isEmpty,
        areUndeclared: declared.isEmpty)
      hide(operation)
    case .group(let group):
      var operation = group.ports.creator.flatMap { creator in
        let type = OperationType.of(creator)
        return type.declaresPorts || type.hidesProperties ? creator.create() : nil
      }
      let itemName = operation?.primaryInputName()
      let declared = operation?.declaredPorts ?? DeclaredPorts()
      // An item's operation writes to its own values; a closure, or an unknown dispatcher, may write anything.
      let isKnown = group.ports.creator != nil && (group.ports.output != nil || !group.keepsOutputs)
      // The values that the operation reads besides its item come from the flow's bucket, as for any other step; but if
      // failures are tolerated, items may do without.
      let others = group.tolerance == .none ? declared.inputs.map(\.port).filter { $0.name != itemName } : []
      self.init(
        [group.ports.input].compactMap(\.self), [group.ports.output].compactMap(\.self), mayWriteAnything: !isKnown)
      itemInputs = others
      item = declared.inputs.map(\.port).first { $0.name == itemName }
      let outputName = operation?.primaryOutputName()
      itemOutput = declared.outputs.map(\.port).first { $0.name == outputName }
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
