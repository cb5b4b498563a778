/// The properties of a class of operations, looked up once per class: asking the runtime costs more than starting one.
///
/// It is a pointer to memory that is never freed, so that passing it around doesn't count references.
struct OperationType: @unchecked Sendable {
  // Invariant: the memory is written before anything else can see it, and is never changed or freed.
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

  /// The type of a class of operations, or of a type that creates them.
  static func of(_ type: Any.Type) -> OperationType {
    // The few bytes per class are kept for good, so if two threads look up a class at once, it must not be created
    // twice.
    known.withLock { known in
      if let type = known[ObjectIdentifier(type)] { return type }
      let made = OperationType(type)
      known[ObjectIdentifier(type)] = made
      return made
    }
  }

  /// The type of an operation's class, at no cost if it is the expected one.
  static func of(_ operation: FlowOperation, expecting expected: OperationType?) -> OperationType {
    let type = Swift.type(of: operation)
    if let expected, expected.describes(type) { return expected }
    return of(type)
  }

  func describes(_ type: Any.Type) -> Bool { info.pointee.id == ObjectIdentifier(type) }

  var name: String { info.pointee.name }

  /// The inputs and outputs that its operations declare, found in the class without creating an operation.
  var ports: [PortProperty] { info.pointee.ports }

  var declaresPorts: Bool { !info.pointee.ports.isEmpty }

  /// Whether its operations have hidden properties, which may be inputs and outputs.
  var hidesProperties: Bool { info.pointee.hidesProperties }
}
