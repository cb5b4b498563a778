// The core's members, for a module whose own members have the same names. `Flow_iOS` declares them again as the
// predecessor had them, so in that module the names mean its own.

extension Flow {
  /// The same as `dataBucket`.
  package var sendableData: [String: any Sendable] {
    get { dataBucket }
    set { dataBucket = newValue }
  }

  /// The same as `setData(name:value:)`.
  package func setSendableData(name: String, value: any Sendable) {
    setData(name: name, value: value)
  }

  /// The same as `add(operation:_:flowCase:)`.
  package func addStep(_ operation: FlowOperation, traits: [StepTrait<FlowStep.Once>], flowCase: FlowCase?) -> Flow {
    let options = StepOptions(traits)
    if let name = options.name { operation.name = name }
    return add(operation.ownName, .operation(.instance(OperationInstance(operation))), options, flowCase)
  }

  /// The same as `addGrouped(operationCreator:dispatcher:_:flowCase:)`.
  package func addGroup(
    operationCreator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher,
    traits: [StepTrait<FlowStep.Grouped<any Sendable>>], flowCase: FlowCase?
  ) -> Flow {
    add(traits, flowCase) { GroupStep(creator: operationCreator, dispatcher: dispatcher, named: $0) }
  }

  /// The same as `start(with:)`.
  package func startRun(with data: [String: any Sendable]) -> FlowRun {
    start(with: data)
  }

  /// The same as `start(_:)`.
  package func startRun(changing change: (inout FlowData) throws -> Void) rethrows -> FlowRun {
    try start(change)
  }

  /// The same as `log(message:level:)`.
  package func addLine(_ message: String, level: FlowLogLevel) {
    log(message: message, level: level)
  }

  /// The same as `generateSummary(style:)`.
  package func summary(style: FlowSummaryStyle) -> String {
    generateSummary(style: style)
  }
}

extension FlowOperation {
  /// The same as `setData(name:value:)`.
  package final func setSendableData(name: String, value: any Sendable) {
    setData(name: name, value: value)
  }

  /// The same as `log(message:level:)`.
  package final func addLine(_ message: String, level: FlowLogLevel) {
    log(message: message, level: level)
  }
}
