/// The ports that an operation declares, its superclasses' first.
struct DeclaredPorts: Sendable {
  var inputs: [any DeclaredInput] = []
  var outputs: [any DeclaredOutput] = []

  var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }

  /// Whether types declare any, looked up once a type.
  private static let known = Locked([ObjectIdentifier: Bool]())

  /// Whether operations of a type declare any, which their class says without one having to be made.
  static func areDeclared(by type: Any.Type) -> Bool {
    let id = ObjectIdentifier(type)
    if let answer = known.withLock({ $0[id] }) { return answer }
    let answer = StoredProperties.types(of: type).contains { $0 is any DeclaredPort.Type }
    known.withLock { $0[id] = answer }
    return answer
  }

  init() {}

  /// Finds the ports among an operation's properties.
  init(of operation: FlowOperation) {
    guard Self.areDeclared(by: type(of: operation)) else { return }
    var mirror: Mirror? = Mirror(reflecting: operation)
    var levels: [Mirror.Children] = []
    while let level = mirror, level.subjectType != FlowOperation.self {
      levels.append(level.children)
      mirror = level.superclassMirror
    }
    for child in levels.reversed().joined() {
      guard let port = child.value as? any DeclaredPort else { continue }
      // A wrapped property is stored under its name with an underscore before it.
      if let label = child.label { port.adopt(propertyName: label.hasPrefix("_") ? String(label.dropFirst()) : label) }
      if let input = port as? any DeclaredInput { inputs.append(input) }
      if let output = port as? any DeclaredOutput { outputs.append(output) }
    }
  }
}
