// The core's members under other names, for a module whose own members have the same names. `Flow_iOS` declares these
// names again as the predecessor had them, so in that module they refer to its own members.

extension Flow {
  package var sendableData: [String: any Sendable] {
    get { dataBucket }
    set { dataBucket = newValue }
  }

  package func addStep(_ operation: FlowOperation, traits: [StepTrait<FlowStep.Once>], flowCase: FlowCase?) -> Flow {
    let options = StepOptions.of(traits)
    if let name = options?.name { operation.name = name }
    return add(operation.ownName, .operation(.instance(OperationInstance(operation))), options, flowCase)
  }

  package func addGroup(
    operationCreator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher,
    traits: [StepTrait<FlowStep.Grouped<any Sendable>>], flowCase: FlowCase?
  ) -> Flow {
    let options = StepOptions.of(traits)
    return add(GroupStep(creator: operationCreator, dispatcher: dispatcher, named: options?.name), options, flowCase)
  }

  package func addLine(_ message: String, level: FlowLogLevel) {
    log(message: message, level: level)
  }
}

extension FlowOperation {
  package final func addLine(_ message: String, level: FlowLogLevel) {
    log(message: message, level: level)
  }
}
