extension FlowOperation {
  /// The inputs and outputs that the operation declares with `@FlowInput` and `@FlowOutput`, looked up once.
  final var declaredPorts: DeclaredPorts { declaredPorts(nil) }

  /// The same; the operation's type is looked up if it isn't given.
  private final func declaredPorts(_ type: OperationType?) -> DeclaredPorts {
    if let known = withLifecycle({ $0.ports }) { return known }
    let found = DeclaredPorts(of: self, (type ?? OperationType.of(Swift.type(of: self))).ports)
    withLifecycle { $0.ports = found }
    return found
  }

  /// Whether it has inputs or outputs that can't be found.
  final var hasHiddenPorts: Bool { hasHiddenPorts(nil) }

  private final func hasHiddenPorts(_ type: OperationType?) -> Bool {
    guard portCount > 0, (type ?? OperationType.of(Swift.type(of: self))).hidesProperties else { return false }
    let found = declaredPorts(type)
    return portCount > found.inputs.count + found.outputs.count
  }

  /// The name under which a group gives the operation its item: the primary key, otherwise its first declared input.
  ///
  /// The operation's class can answer immediately if it declares none.
  final func primaryInputName(_ type: OperationType? = nil) -> String {
    let key = primaryInputParamKey
    guard key.isEmpty, type?.declaresPorts ?? true else { return key }
    return declaredPorts(type).inputs.first?.portName ?? ""
  }

  /// The name under which a group finds the operation's output: the primary key, otherwise its first declared output.
  final func primaryOutputName(_ type: OperationType? = nil) -> String {
    let key = primaryOutputParamKey
    guard key.isEmpty, type?.declaresPorts ?? true else { return key }
    return declaredPorts(type).outputs.first?.portName ?? ""
  }

  /// Reads the declared inputs before the work starts; false if that fails the operation.
  final func readInputs(_ type: OperationType? = nil) -> Bool {
    do throws(FlowError) {
      if hasHiddenPorts(type) { throw FlowError.hiddenPorts(of: TypeName.of(Swift.type(of: self))) }
      for input in declaredPorts(type).inputs {
        let name = input.portName
        if input.portIsSensitive { markSensitive(name) }
        let warning = try input.resolve(stored(name), named: name) { input.portIsSensitive || isSensitive(name) }
        if let warning { record(.warned(warning)) }
      }
      return true
    } catch {
      finish(.failed(error))
      return false
    }
  }

  /// Keeps the values of its inputs although the operation never starts, because its `deinit` may read them.
  final func retireInputs(_ bucket: DataBucket? = nil) {
    guard OperationType.of(type(of: self)).declaresPorts else { return }
    for input in declaredPorts.inputs { input.retire(bucket?.value(named: input.portName)) }
  }

  /// Releases an operation that has never started, and makes sure that it can be freed if nothing else holds it.
  static func release(_ operation: inout FlowOperation?) {
    if isKnownUniquelyReferenced(&operation) {
      operation?.retireInputs()
      operation?.dropDependencies()
    }
    operation = nil
  }

  /// Writes the values assigned to declared outputs, after the operation has succeeded.
  final func write(_ outputs: [any DeclaredOutput], _ attachment: OperationAttachment?) {
    for output in outputs {
      let name = output.portName
      if let value = output.assigned {
        write(value, named: name, isSensitive: output.isSensitive, attachment: attachment)
      } else if let attachment, attachment.source.item == nil, !withLifecycle({ $0.writtenNames.contains(name) }) {
        attachment.host.outputIsMissing(name, attachment.source)
      }
    }
  }

  /// The output of a group's item, and whether its name is sensitive.
  final func takeOutput(_ type: OperationType? = nil) -> (value: any Sendable, isSensitive: Bool)? {
    let name = primaryOutputName(type)
    let (output, bucket) = withLifecycle { state in
      (
        state.scope.flatMap { scope in scope.output(named: name).map { ($0, scope.isSensitive(name)) } },
        state.attachment?.host.bucket
      )
    }
    guard let (value, isSensitive) = output else { return nil }
    return (value, isSensitive || bucket?.isSensitive(name) ?? false)
  }
}
