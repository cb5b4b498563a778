/// A value that a step reads, declared before the run.
struct InputPort: Sendable {
  let name: String
  /// The type that it is read as; `nil` for an array of any kind.
  let type: Any.Type?
  /// Whether the step fails if it is missing.
  let isRequired: Bool
  let isSensitive: Bool
  /// Whether a value can be read as that type.
  let accepts: @Sendable (any Sendable) -> Bool

  init<Value>(_ key: FlowKey<Value>, isRequired: Bool = true) {
    name = key.name
    type = Value.self
    self.isRequired = isRequired
    isSensitive = key.isSensitive
    accepts = { $0 is Value }
  }

  /// An array, of whatever elements.
  init(arrayNamed name: String, isSensitive: Bool) {
    self.name = name
    type = nil
    isRequired = true
    self.isSensitive = isSensitive
    accepts = { StoredArray($0) != nil || $0 is [Any] }
  }
}

/// A value that a step writes, declared before the run.
struct OutputPort: Sendable {
  let name: String
  /// The type that it is written as; `nil` if that is not known.
  let type: Any.Type?
  var isSensitive = false
}

extension OutputPort {
  init<Value>(_ key: FlowKey<Value>) {
    self.init(name: key.name, type: Value.self, isSensitive: key.isSensitive)
  }
}

/// Something that an operation declares as a property: found by reflection, and joined to the operation's run.
protocol DeclaredPort: PossiblePort, AnyObject, Sendable {
  /// Gives the port its property's name, if it was declared without a key.
  func adopt(propertyName: String)
}

/// The type of a property that is a port, or may be one: an operation that needs none in some uses has an optional.
protocol PossiblePort {
  /// Takes the port out of the property that lies at an address.
  static func port(at address: UnsafeRawPointer) -> (any DeclaredPort)?
}

extension DeclaredPort {
  static func port(at address: UnsafeRawPointer) -> (any DeclaredPort)? { address.load(as: Self.self) }
}

extension Optional: PossiblePort where Wrapped: DeclaredPort {
  static func port(at address: UnsafeRawPointer) -> (any DeclaredPort)? { address.load(as: Self.self) }
}

protocol DeclaredInput: DeclaredPort {
  var port: InputPort { get }
  /// Keeps the value that the operation will read; returns a warning of one that it can do nothing with.
  ///
  /// - Throws: ``FlowError`` if it is missing or of another type, and that is no use to the operation.
  func resolve(_ value: (any Sendable)?, isSensitive: Bool) throws(FlowError) -> String?
  /// The operation never starts: what is read from now on is this value if it fits, or else an empty one.
  func retire(_ value: (any Sendable)?)
}

protocol DeclaredOutput: DeclaredPort {
  var port: OutputPort { get }
  var isSensitive: Bool { get }
  /// What was assigned; `nil` if nothing was.
  var assigned: (any Sendable)? { get }
}
