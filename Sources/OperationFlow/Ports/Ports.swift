/// A value that a step reads, declared before the run.
struct InputPort: Sendable {
  let name: String
  /// The type that it is read as; `nil` for an array of any type.
  let type: Any.Type?
  /// Whether the step fails if it is missing.
  let isRequired: Bool
  let isSensitive: Bool
  /// Whether a journal stores the value.
  var isStored = true
  /// Whether a value can be read as that type.
  let accepts: @Sendable (any Sendable) -> Bool

  init<Value>(_ key: FlowKey<Value>, isRequired: Bool = true) {
    name = key.name
    type = Value.self
    self.isRequired = isRequired
    isSensitive = key.isSensitive
    isStored = key.isStored
    accepts = { $0 is Value || restored($0, as: Value.self) != nil }
  }

  /// An array with elements of any type.
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
  /// The type that it is written as; `nil` if it isn't known.
  let type: Any.Type?
  var isSensitive = false
  /// Whether a journal stores the value.
  var isStored = true
}

extension OutputPort {
  init<Value>(_ key: FlowKey<Value>) {
    self.init(name: key.name, type: Value.self, isSensitive: key.isSensitive, isStored: key.isStored)
  }
}

/// A port that an operation declares as a property: found by reflection, and connected to the operation's run.
protocol DeclaredPort: PossiblePort, AnyObject, Sendable {
  /// The name that it reads or writes.
  var portName: String { get }
  /// Gives the port the name of its property, if it was declared without a key.
  func adopt(propertyName: String)
}

/// The type of a property that is a port or may be one: an operation that sometimes needs no port has an optional.
protocol PossiblePort {
  /// The port in the property at an address.
  static func declared(at address: UnsafeRawPointer) -> FoundPort?
}

/// A port in a property; its type says which, so that no port has to be cast.
enum FoundPort {
  case input(any DeclaredInput)
  case output(any DeclaredOutput)
}

extension Optional: PossiblePort where Wrapped: DeclaredPort {
  static func declared(at address: UnsafeRawPointer) -> FoundPort? {
    // An optional object is stored as the object, or as nothing.
    address.load(as: Self.self) == nil ? nil : Wrapped.declared(at: address)
  }
}

protocol DeclaredInput: DeclaredPort {
  var port: InputPort { get }
  var portIsSensitive: Bool { get }
  /// Keeps the value that the operation will read; returns a warning if the operation can't use the value.
  ///
  /// Whether the name is sensitive is asked only for the text of an error.
  ///
  /// - Throws: ``FlowError`` if the value is missing or has another type, and the operation can't do without it.
  func resolve(_ value: (any Sendable)?, named name: String, isSensitive: () -> Bool) throws(FlowError) -> String?
  /// Prepares the input of an operation that never starts: it then reads this value if it fits, otherwise an empty one.
  func retire(_ value: (any Sendable)?)
}

protocol DeclaredOutput: DeclaredPort {
  var port: OutputPort { get }
  var isSensitive: Bool { get }
  /// The assigned value; `nil` if there is none.
  var assigned: (any Sendable)? { get }
}
