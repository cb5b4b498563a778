// The core's members, for a module whose own members have the same names. `Flow_iOS` declares these once more as the
// predecessor had them, so there the names mean its own.

extension Flow {
  /// What `dataBucket` is.
  package var sendableData: [String: any Sendable] {
    get { dataBucket }
    set { dataBucket = newValue }
  }

  /// What `setData(name:value:)` does.
  package func setSendableData(name: String, value: any Sendable) {
    setData(name: name, value: value)
  }

  /// What `add(operation:_:flowCase:)` does.
  package func addStep(_ operation: FlowOperation, traits: [StepTrait<Once>], flowCase: FlowCase?) -> Flow {
    let options = StepOptions(traits)
    if let name = options.name { operation.name = name }
    return add(operation.ownName, .operation(.instance(OperationInstance(operation))), options, flowCase)
  }

  /// What `addGrouped(operationCreator:dispatcher:_:flowCase:)` does.
  package func addGroup(
    operationCreator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher,
    traits: [StepTrait<Repeatable>], flowCase: FlowCase?
  ) -> Flow {
    add(traits, flowCase) { GroupStep(creator: operationCreator, dispatcher: dispatcher, named: $0) }
  }

  /// What `start(with:)` does.
  package func startRun(with data: [String: any Sendable]) -> FlowRun {
    start(with: data)
  }

  /// What `start(_:)` does.
  package func startRun(changing change: (inout FlowData) throws -> Void) rethrows -> FlowRun {
    try start(change)
  }

  /// What `log(message:level:)` does.
  package func addLine(_ message: String, level: FlowLogLevel) {
    log(message: message, level: level)
  }

  /// What `generateSummary(style:)` does.
  package func summary(style: FlowSummaryStyle) -> String {
    generateSummary(style: style)
  }
}

extension FlowOperation {
  /// What `setData(name:value:)` does.
  package final func setSendableData(name: String, value: any Sendable) {
    setData(name: name, value: value)
  }

  /// What `log(message:level:)` does.
  package final func addLine(_ message: String, level: FlowLogLevel) {
    log(message: message, level: level)
  }
}
