/// The properties of a class of operations, looked up once per class: the lookup costs more than starting an operation.
package final class OperationType: Sendable {
  private let id: ObjectIdentifier
  let name: String
  /// The inputs and outputs that the class declares, found without creating an operation.
  let ports: DeclaredPorts
  /// True if the class has hidden properties, which may be inputs and outputs.
  let hidesProperties: Bool
  /// True once an operation of the class has done its work only in `run()`, which doesn't block.
  private let wasSeenToRun = Locked(false)

  private static let known = Locked([ObjectIdentifier: OperationType]())

  private init(_ type: Any.Type) {
    id = ObjectIdentifier(type)
    name = TypeName.of(type)
    ports = DeclaredPorts(StoredProperties.of(type))
    hidesProperties = type is FlowOperation.Type && StoredProperties.areHidden(in: type, below: FlowOperation.self)
  }

  package static func of(_ type: Any.Type) -> OperationType {
    known.withLock { $0[ObjectIdentifier(type)].orNew(OperationType(type)) }
  }

  /// Returns the type of an operation's class, at no cost if it is the expected one.
  static func of(_ operation: FlowOperation, expecting expected: OperationType?) -> OperationType {
    let type = Swift.type(of: operation)
    if let expected, expected.id == ObjectIdentifier(type) { return expected }
    return of(type)
  }

  /// True if the class does all of its work in `run()`, as far as its first operations have shown.
  ///
  /// A class whose `mainLogic()` works and then calls `super` counts as well.
  var onlyRuns: Bool { wasSeenToRun.withLock { $0 } }

  /// Records that an operation of the class leaves its work to `run()`.
  func sawRun() { wasSeenToRun.withLock { $0 = true } }

  package var declaresPorts: Bool { !ports.inputs.isEmpty || !ports.outputs.isEmpty }

  /// True if an operation of the class may have inputs or outputs.
  var mayHavePorts: Bool { declaresPorts || hidesProperties }
}
