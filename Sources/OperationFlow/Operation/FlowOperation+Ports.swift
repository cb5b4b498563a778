extension FlowOperation {
  private final var type: OperationType { OperationType.of(Swift.type(of: self)) }
  package final var inputPorts: [StepPort] { checked(type.ports.inputs) }
  final var outputPorts: [StepPort] { checked(type.ports.outputs) }

  private final func checked(_ ports: [PortProperty]) -> [StepPort] {
    ports.found(in: self).map { $0.port.port(named: $0.name) }
  }

  /// Returns the name of the class if it has inputs or outputs that can't be found; otherwise `nil`.
  final func typeWithHiddenPorts(_ type: OperationType? = nil) -> String? {
    guard portCount > 0 else { return nil }
    let type = type ?? self.type
    return type.hidesProperties && portCount > type.ports.count(in: self) ? type.name : nil
  }

  /// Returns the name for the item of a group: the primary key, otherwise the first declared input.
  package final func primaryInputName(_ type: OperationType? = nil) -> String {
    let key = primaryInputParamKey
    return key.isEmpty ? (type ?? self.type).ports.inputs.firstName(in: self) : key
  }

  /// Returns the name for the output of a group's item: the primary key, otherwise the first declared output.
  package final func primaryOutputName(_ type: OperationType? = nil) -> String {
    let key = primaryOutputParamKey
    return key.isEmpty ? (type ?? self.type).ports.outputs.firstName(in: self) : key
  }

  final func readsSensitively(_ name: String) -> Bool {
    type.ports.inputs.found(in: self).contains { $0.port.isSensitive && $0.name == name }
  }

  /// Reads the declared inputs before the work starts; returns false if that fails the operation.
  final func readInputs(_ type: OperationType) -> Bool {
    do throws(FlowError) {
      if let name = typeWithHiddenPorts(type) { throw FlowError.hiddenPorts(of: name) }
      for property in type.ports.inputs {
        guard let (input, name) = property.port(of: self) else { continue }
        if input.isSensitive { markSensitive(name) }
        let value = stored(name)
        do throws(FlowError) {
          let warning = try input.resolve(value, named: name) { input.isSensitive || isSensitive(name) }
          if let warning { record(.warned(warning)) }
        } catch {
          reportMisread(value, named: name, as: input.port(named: name).type ?? Any.self)
          throw error
        }
      }
      return true
    } catch {
      finish(.failed(error))
      return false
    }
  }

  /// Stores the values of the inputs of an operation that never starts, because its `deinit` may read them.
  final func keepInputsForDeinit(_ bucket: DataBucket? = nil, _ type: OperationType? = nil) {
    for property in (type ?? self.type).ports.inputs {
      guard let (input, name) = property.port(of: self) else { continue }
      input.retire(bucket?.value(named: name))
    }
  }

  /// True if a run has reserved the operation and not started it.
  final var isReserved: Bool { withLifecycle { $0.phase == .claimed } }

  /// Releases an operation that never started; if this is its last reference, prepares it for being freed.
  package static func release(_ operation: inout FlowOperation?, _ type: OperationType? = nil) {
    if isKnownUniquelyReferenced(&operation) {
      operation?.keepInputsForDeinit(nil, type)
      if operation?.withLifecycle({ $0.hasDependencies }) == true { operation?.dropDependencies() }
    }
    operation = nil
  }

  final func write(_ outputs: [PortProperty], _ context: FlowContext?) {
    for property in outputs {
      guard let (output, name) = property.port(of: self) else { continue }
      let value = output.held
      if isBoxed(value, as: NoValue.self) {
        if let context, context.source.item == nil, !withLifecycle({ $0.writtenNames.contains(name) }) {
          context.host.outputIsMissing(name, context.source)
        }
      } else {
        write(value, named: name, isSensitive: output.isSensitive, context: context)
      }
    }
  }

  final func primaryOutput(_ type: OperationType? = nil) -> (value: any Sendable, isSensitive: Bool)? {
    let name = primaryOutputName(type)
    return withLifecycle { state in
      state.scope.flatMap { scope in scope.output(named: name).map { ($0, scope.isSensitive(name)) } }
    }
  }
}
