/// What a step reads and writes, as far as that is declared.
struct StepPorts: Sendable {
  let inputs: [InputPort]
  let outputs: [OutputPort]
  /// Whether it may write what it does not declare.
  let mayWriteAnything: Bool
  /// Whether it is a step of which nothing at all is known.
  let areUndeclared: Bool

  init(_ step: Blueprint.Step) {
    switch step.kind {
    case .closure:
      self.init([], [], mayWriteAnything: true, areUndeclared: true)
    case .operation(let source):
      let declared = source.probe.map(\.declaredPorts) ?? DeclaredPorts()
      // An operation that only declares what it reads may still write with `setData`.
      self.init(
        declared.inputs.map(\.port), declared.outputs.map(\.port), mayWriteAnything: declared.outputs.isEmpty,
        areUndeclared: declared.isEmpty)
    case .group(let group):
      // An item's operation writes for itself; a closure, or a dispatcher that is not known, writes what it likes.
      let isKnown = group.ports.creator != nil && (group.ports.output != nil || !group.keepsOutputs)
      self.init(
        group.ports.input.map { [$0] } ?? [], group.ports.output.map { [$0] } ?? [], mayWriteAnything: !isKnown)
    case .cases, .flow:
      self.init([], [], mayWriteAnything: false)
    }
  }

  private init(
    _ inputs: [InputPort], _ outputs: [OutputPort], mayWriteAnything: Bool, areUndeclared: Bool = false
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.mayWriteAnything = mayWriteAnything
    self.areUndeclared = areUndeclared
  }
}

extension OperationSource {
  /// An operation to look at, where there may be something to see.
  fileprivate var probe: FlowOperation? {
    switch self {
    case .instance(let instance): return instance.held
    case .factory(let type, let make):
      // What is made as a `FlowOperation` may be of another type each time.
      guard type != FlowOperation.self, DeclaredPorts.mayBeDeclared(by: type) else { return nil }
      let operation = make()
      if operation.declaredPorts.isEmpty { DeclaredPorts.noneAreDeclared(by: type) }
      return operation
    }
  }
}
