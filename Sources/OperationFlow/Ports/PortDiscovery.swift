/// The ports that an operation declares, its superclasses' first.
struct DeclaredPorts: Sendable {
  var inputs: [any DeclaredInput] = []
  var outputs: [any DeclaredOutput] = []

  var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }

  /// Types that are known to declare nothing, so that theirs are not looked for again: reflection is slow.
  private static let typesWithout = Locked(Set<ObjectIdentifier>())

  static func mayBeDeclared(by type: Any.Type) -> Bool {
    !typesWithout.withLock { $0.contains(ObjectIdentifier(type)) }
  }

  static func noneAreDeclared(by type: Any.Type) {
    _ = typesWithout.withLock { $0.insert(ObjectIdentifier(type)) }
  }

  init() {}

  /// Finds the ports among an operation's properties.
  init(of operation: FlowOperation) {
    let type = ObjectIdentifier(Swift.type(of: operation))
    if Self.typesWithout.withLock({ $0.contains(type) }) { return }
    var declaresAny = false
    var mirror: Mirror? = Mirror(reflecting: operation)
    var levels: [Mirror.Children] = []
    while let level = mirror, level.subjectType != FlowOperation.self {
      levels.append(level.children)
      mirror = level.superclassMirror
    }
    for child in levels.reversed().joined() {
      guard let port = child.value as? any DeclaredPort else { continue }
      declaresAny = true
      // A wrapped property is stored under its name with an underscore before it.
      if let label = child.label { port.adopt(propertyName: label.hasPrefix("_") ? String(label.dropFirst()) : label) }
      if let input = port as? any DeclaredInput { inputs.append(input) }
      if let output = port as? any DeclaredOutput { outputs.append(output) }
    }
    if !declaresAny { _ = Self.typesWithout.withLock { $0.insert(type) } }
  }
}
