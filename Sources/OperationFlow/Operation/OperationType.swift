/// What is known of a class of operations, looked up once a class: asking the runtime costs more than starting one.
final class OperationType: Sendable {
  let name: String
  /// Whether its operations declare inputs or outputs, which their class says without one having to be made.
  let declaresPorts: Bool
  private let id: ObjectIdentifier

  private static let known = Locked([ObjectIdentifier: OperationType]())

  private init(_ type: Any.Type) {
    id = ObjectIdentifier(type)
    name = TypeName.of(type)
    declaresPorts = StoredProperties.types(of: type).contains { $0 is any PossiblePort.Type }
  }

  /// The class of operations, or of what makes them.
  static func of(_ type: Any.Type) -> OperationType {
    let id = ObjectIdentifier(type)
    if let known = known.withLock({ $0[id] }) { return known }
    let made = OperationType(type)
    known.withLock { $0[id] = made }
    return made
  }

  /// The class of an operation, which costs nothing where it is the one that is expected.
  static func of(_ operation: FlowOperation, expecting expected: OperationType?) -> OperationType {
    let type = Swift.type(of: operation)
    if let expected, expected.id == ObjectIdentifier(type) { return expected }
    return of(type)
  }
}
