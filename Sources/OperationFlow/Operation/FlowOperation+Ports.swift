extension FlowOperation {
  /// What the operation declares with `@FlowInput` and `@FlowOutput`, found once.
  final var declaredPorts: DeclaredPorts {
    if let known = withLifecycle({ $0.ports }) { return known }
    return findPorts(OperationType.of(type(of: self)))
  }

  /// The same, of an operation whose class is at hand.
  @discardableResult
  final func findPorts(_ type: OperationType) -> DeclaredPorts {
    let found = type.declaresPorts ? DeclaredPorts(of: self, type.ports) : DeclaredPorts()
    withLifecycle { $0.ports = found }
    return found
  }

  /// The name under which a group gives the operation its item: the primary key, or else its first declared input.
  final var primaryInputName: String {
    let key = primaryInputParamKey
    return key.isEmpty ? declaredPorts.inputs.first?.port.name ?? "" : key
  }

  /// The name under which a group finds the operation's output: the primary key, or else its first declared output.
  final var primaryOutputName: String {
    let key = primaryOutputParamKey
    return key.isEmpty ? declaredPorts.outputs.first?.port.name ?? "" : key
  }

  /// Reads what the operation declares, before its work starts; false where that fails it.
  final func readInputs() -> Bool {
    do throws(FlowError) {
      for input in declaredPorts.inputs {
        let port = input.port
        try input.resolve(stored(port.name), isSensitive: port.isSensitive || isSensitive(port.name))
      }
      return true
    } catch {
      finish(.failed(error))
      return false
    }
  }

  /// Writes what was assigned to declared outputs, when the operation has succeeded.
  final func write(_ outputs: [any DeclaredOutput], _ attachment: OperationAttachment?) {
    for output in outputs {
      guard let value = output.assigned else { continue }
      write(value, named: output.port.name, isSensitive: output.isSensitive, attachment: attachment)
    }
  }

  /// What a group's item leaves as its output.
  final func takeOutput() -> (any Sendable)? {
    let name = primaryOutputName
    return withLifecycle { $0.scope?.output(named: name) }
  }
}
