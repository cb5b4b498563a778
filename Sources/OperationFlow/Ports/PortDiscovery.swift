/// The ports that an operation declares, its superclasses' first.
struct DeclaredPorts: Sendable {
  var inputs: [any DeclaredInput] = []
  var outputs: [any DeclaredOutput] = []

  var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }

  init() {}

  /// Finds the ports among an operation's properties.
  init(of operation: FlowOperation) {
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
