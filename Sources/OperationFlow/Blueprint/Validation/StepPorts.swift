/// The values that a step declares to read and write.
package final class StepPorts: Sendable {
  static let undeclared = StepPorts(nil, nil)

  package let inputs: [StepPort]
  package let outputs: [StepPort]
  /// Whether it may write values that it doesn't declare.
  package let mayWriteAnything: Bool
  package let areUndeclared: Bool
  /// What a group's operation reads as its item, and what it writes as its output.
  let item: StepPort?
  let itemOutput: StepPort?
  /// What a group's operation reads besides its item.
  let itemInputs: [StepPort]
  /// What a group's items write into the flow's bucket, if there are any items.
  package let itemWrites: [StepPort]
  let conditionInputs: [StepPort]
  /// The class of operations whose inputs and outputs can't be found, if the step has one.
  package let typeWithHiddenPorts: String?
  let isSensitive: Bool
  /// Whether it may read what it has written when it comes again.
  let readsItsOutputs: Bool

  /// Without a step, those of a closure that declares nothing.
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
      // An item's operation writes to its own values; a closure, or an unknown dispatcher, may write anything.
      mayWriteAnything = group.creator == nil || (group.output == nil && group.keepsOutputs)
      areUndeclared = false
      // They come from the flow's bucket; tolerant items may do without.
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
    let writes = outputs + itemWrites + [itemOutput].compactMap(\.self)
    let reads = conditionInputs + inputs + itemInputs + [item].compactMap(\.self)
    isSensitive = reads.contains(where: \.isSensitive) || writes.contains(where: \.isSensitive)
    readsItsOutputs = reads.contains { read in writes.contains { $0.name == read.name } }
  }

  package var allInputs: [StepPort] { conditionInputs + inputs + itemInputs }

  /// Whether this is what an operation declares whose class has these ports, and no options add to it.
  func describe(_ operation: FlowOperation, _ ports: DeclaredPorts) -> Bool {
    ports.inputs.declare(inputs, in: operation) && ports.outputs.declare(outputs, in: operation)
  }
}
