/// What is known of a class of operations, looked up once a class: asking the runtime costs more than starting one.
///
/// It is a pointer to what is never freed, so that handing it around counts no references.
struct OperationType: @unchecked Sendable {
  // Invariant: what it points to is written before anybody has it, and never changed or freed.
  private let info: UnsafePointer<Info>

  private struct Info {
    let id: ObjectIdentifier
    let name: String
    let ports: [PortProperty]
    let hidesProperties: Bool
  }

  private static let known = Locked([ObjectIdentifier: OperationType]())

  private init(_ type: Any.Type) {
    let info = UnsafeMutablePointer<Info>.allocate(capacity: 1)
    info.initialize(
      to: Info(
        id: ObjectIdentifier(type), name: TypeName.of(type),
        ports: StoredProperties.of(type).compactMap(PortProperty.init),
        hidesProperties: type is FlowOperation.Type
          && StoredProperties.areHidden(in: type, below: FlowOperation.self)))
    self.info = UnsafePointer(info)
  }

  /// The class of operations, or of what makes them.
  static func of(_ type: Any.Type) -> OperationType {
    // The few bytes of a class are kept for good, so one that two threads look up at once must not be made twice.
    known.withLock { known in
      if let type = known[ObjectIdentifier(type)] { return type }
      let made = OperationType(type)
      known[ObjectIdentifier(type)] = made
      return made
    }
  }

  /// The class of an operation, which costs nothing if it is the one that is expected.
  static func of(_ operation: FlowOperation, expecting expected: OperationType?) -> OperationType {
    let type = Swift.type(of: operation)
    if let expected, expected.describes(type) { return expected }
    return of(type)
  }

  func describes(_ type: Any.Type) -> Bool { info.pointee.id == ObjectIdentifier(type) }

  var name: String { info.pointee.name }

  /// The inputs and outputs that its operations declare, which their class says without one having to be made.
  var ports: [PortProperty] { info.pointee.ports }

  var declaresPorts: Bool { !info.pointee.ports.isEmpty }

  /// Whether its operations have properties that can't be seen, which may be inputs and outputs.
  var hidesProperties: Bool { info.pointee.hidesProperties }
}
