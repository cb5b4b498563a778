/// The properties of a class of operations, looked up once per class: asking the runtime costs more than starting one.
package final class OperationType: Sendable {
  private let id: ObjectIdentifier
  let name: String
  /// The inputs and outputs that its operations declare, found in the class without creating an operation.
  let ports: DeclaredPorts
  /// Whether its operations have hidden properties, which may be inputs and outputs.
  let hidesProperties: Bool
  /// True once an operation of the class was seen to do its work in `run()` alone, which doesn't block.
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

  /// The type of an operation's class, at no cost if it is the expected one.
  static func of(_ operation: FlowOperation, expecting expected: OperationType?) -> OperationType {
    let type = Swift.type(of: operation)
    if let expected, expected.id == ObjectIdentifier(type) { return expected }
    return of(type)
  }

  /// True if all work of the class's operations is in `run()`: its first operation tells, so a class whose `mainLogic()` works
  /// and then calls `super` counts as well.
  var onlyRuns: Bool { wasSeenToRun.withLock { $0 } }

  /// Notes that an operation of the class leaves its work to `run()`.
  func sawRun() { wasSeenToRun.withLock { $0 = true } }

  package var declaresPorts: Bool { !ports.inputs.isEmpty || !ports.outputs.isEmpty }

  /// Whether it is worth to look at an operation.
  var mayHavePorts: Bool { declaresPorts || hidesProperties }
}
