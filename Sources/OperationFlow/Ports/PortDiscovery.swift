/// The ports that the operations of a class declare, with those of its superclasses first.
struct DeclaredPorts: Sendable {
  var inputs: [PortProperty] = []
  var outputs: [PortProperty] = []

  init(_ properties: [StoredProperties.Property]) {
    for property in properties.compactMap(PortProperty.init) {
      if property.type.isInput { inputs.append(property) } else { outputs.append(property) }
    }
  }

  /// How many of them an operation has: an optional one may be missing.
  func count(in operation: AnyObject) -> Int {
    inputs.count { $0.port(of: operation) != nil } + outputs.count { $0.port(of: operation) != nil }
  }
}

/// A property of a class of operations that is a port, or may be one.
struct PortProperty: Sendable {
  let name: String
  let isPlain: Bool
  private let offset: Int
  fileprivate let type: any (PossiblePort & SendableMetatype).Type

  /// `nil` if the property can't be a port.
  init?(_ property: StoredProperties.Property) {
    guard property.isStrong, let type = property.type as? any (PossiblePort & SendableMetatype).Type else { return nil }
    // A wrapped property is stored under its name with an underscore before it.
    name = property.name.hasPrefix("_") ? String(property.name.dropFirst()) : property.name
    offset = property.offset
    self.type = type
    isPlain = type.isPlain
  }

  /// The port of one operation; it is set when the operation is created, and never replaced.
  ///
  /// It isn't inlined, so that the caller keeps the operation until it returns.
  @inline(never)
  func port(of operation: AnyObject) -> FoundPort? {
    type.declared(at: UnsafeRawPointer(Unmanaged.passUnretained(operation).toOpaque()) + offset)
  }

  /// The input of one operation, with the name that it reads; `nil` if the operation doesn't have it.
  func input(of operation: AnyObject) -> (port: any DeclaredInput, name: String)? {
    guard case .input(let port)? = port(of: operation) else { return nil }
    return (port, port.ownName ?? name)
  }

  /// The output of one operation, with the name that it writes; `nil` if the operation doesn't have it.
  func output(of operation: AnyObject) -> (port: any DeclaredOutput, name: String)? {
    guard case .output(let port)? = port(of: operation) else { return nil }
    return (port, port.ownName ?? name)
  }
}
