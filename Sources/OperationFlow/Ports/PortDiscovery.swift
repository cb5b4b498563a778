/// The ports that an operation declares, its superclasses' first.
struct DeclaredPorts: Sendable {
  var inputs: [any DeclaredInput] = []
  var outputs: [any DeclaredOutput] = []

  var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }

  init() {}

  /// Takes the ports of an operation out of the properties that its class is known to have.
  init(of operation: FlowOperation, _ properties: [PortProperty]) {
    for property in properties {
      let port = property.port(of: operation)
      port.adopt(propertyName: property.name)
      if let input = port as? any DeclaredInput { inputs.append(input) }
      if let output = port as? any DeclaredOutput { outputs.append(output) }
    }
  }
}

/// A property of a class of operations that is a port.
struct PortProperty: Sendable {
  let name: String
  private let offset: Int
  private let load: @Sendable (UnsafeRawPointer) -> any DeclaredPort

  /// `nil` where the property is no port.
  init?(_ property: StoredProperties.Property) {
    guard let type = property.type as? any DeclaredPort.Type else { return nil }
    // A wrapped property is stored under its name with an underscore before it.
    name = property.name.hasPrefix("_") ? String(property.name.dropFirst()) : property.name
    offset = property.offset
    load = Self.loading(type)
  }

  private static func loading<Port: DeclaredPort>(
    _ type: Port.Type
  ) -> @Sendable (UnsafeRawPointer) -> any DeclaredPort {
    { $0.load(as: Port.self) }
  }

  /// The port of one operation; it is put in place when the operation is made, and stays there.
  func port(of operation: FlowOperation) -> any DeclaredPort {
    withExtendedLifetime(operation) {
      load(UnsafeRawPointer(Unmanaged.passUnretained(operation).toOpaque()) + offset)
    }
  }
}
