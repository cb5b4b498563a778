/// The ports that an operation declares, with those of its superclasses first.
struct DeclaredPorts: Sendable {
  var inputs: [any DeclaredInput] = []
  var outputs: [any DeclaredOutput] = []

  var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }

  init() {}

  /// Gets the ports of an operation from the properties that its class is known to have.
  init(of operation: AnyObject, _ properties: [PortProperty]) {
    for property in properties {
      switch property.port(of: operation) {
      case .input(let input):
        input.adopt(propertyName: property.name)
        inputs.append(input)
      case .output(let output):
        output.adopt(propertyName: property.name)
        outputs.append(output)
      case nil: break
      }
    }
  }
}

/// A property of a class of operations that is a port, or may be one.
struct PortProperty: Sendable {
  let name: String
  private let offset: Int
  private let type: any (PossiblePort & SendableMetatype).Type

  /// `nil` if the property can't be a port.
  init?(_ property: StoredProperties.Property) {
    guard property.isStrong, let type = property.type as? any (PossiblePort & SendableMetatype).Type else { return nil }
    // A wrapped property is stored under its name with an underscore before it.
    name = property.name.hasPrefix("_") ? String(property.name.dropFirst()) : property.name
    offset = property.offset
    self.type = type
  }

  /// The port of one operation; it is set when the operation is created, and never replaced.
  func port(of operation: AnyObject) -> FoundPort? {
    withExtendedLifetime(operation) {
      type.declared(at: UnsafeRawPointer(Unmanaged.passUnretained(operation).toOpaque()) + offset)
    }
  }
}
