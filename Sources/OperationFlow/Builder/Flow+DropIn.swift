// The core's members, for a module whose own members have the same names. `Flow_iOS` declares them again as the
// predecessor had them, so in that module the names mean its own.

extension Flow {
  package var sendableData: [String: any Sendable] {
    get { dataBucket }
    set { dataBucket = newValue }
  }

  /// Applies changes that were made to a copy of the values; what a run has written in the meantime stays.
  package func changeData(_ old: [String: any Sendable], to new: [String: any Sendable]) {
    guard let run, run.currentOutcome == nil else { return dataBucket = new }
    for (name, value) in new {
      if let known = old[name], isUnchanged(known, value) { continue }
      run.bucket.replace(value, named: name)
    }
    for name in old.keys where new[name] == nil { run.bucket.replace(nil, named: name) }
  }

  package func addStep(_ operation: FlowOperation, traits: [StepTrait<FlowStep.Once>], flowCase: FlowCase?) -> Flow {
    let options = StepOptions(traits)
    if let name = options?.name { operation.name = name }
    return add(operation.ownName, .operation(.instance(OperationInstance(operation))), options, flowCase)
  }

  package func addGroup(
    operationCreator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher,
    traits: [StepTrait<FlowStep.Grouped<any Sendable>>], flowCase: FlowCase?
  ) -> Flow {
    add(traits, flowCase) { GroupStep(creator: operationCreator, dispatcher: dispatcher, named: $0) }
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

/// Whether two values are of the same type and consist of the same bytes, as copies do; an equal value may have others.
private func isUnchanged<Old: Sendable>(_ old: Old, _ new: any Sendable) -> Bool {
  guard let new = unboxed(new, as: Old.self) else { return false }
  return withUnsafeBytes(of: old) { old in withUnsafeBytes(of: new) { old.elementsEqual($0) } }
}
