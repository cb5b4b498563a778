/// A value that a step reads, declared before the run.
package final class InputPort: Sendable {
  package let name: String
  /// The type that it is read as; `nil` for an array of any type.
  package let type: Any.Type?
  /// Whether the step fails if it is missing.
  package let isRequired: Bool
  package let isSensitive: Bool
  let accepts: @Sendable (any Sendable) -> Bool

  init<Value>(_ key: FlowKey<Value>, isRequired: Bool = true) {
    name = key.name
    type = Value.self
    self.isRequired = isRequired
    isSensitive = key.isSensitive
    accepts = { isBoxed($0, as: Value.self) || InputPort.isReadable($0, as: Value.self) }
  }

  /// Whether a value in another box can be read as a type; separate, because asking looks up the type of an optional.
  @inline(never)
  private static func isReadable<Value>(_ value: any Sendable, as type: Value.Type) -> Bool {
    value is Value || restored(value, as: type) != nil
  }

  /// An array with elements of any type.
  init(arrayNamed name: String, isSensitive: Bool) {
    self.name = name
    type = nil
    isRequired = true
    self.isSensitive = isSensitive
    accepts = { $0 is any ArrayElements || $0 is [Any] }
  }
}

/// A value that a step writes, declared before the run.
package final class OutputPort: Sendable {
  package let name: String
  /// The type that it is written as; `nil` if it isn't known.
  package let type: Any.Type?
  package let isSensitive: Bool

  init(name: String, type: Any.Type?, isSensitive: Bool) {
    (self.name, self.type, self.isSensitive) = (name, type, isSensitive)
  }

  convenience init<Value>(_ key: FlowKey<Value>) {
    self.init(name: key.name, type: Value.self, isSensitive: key.isSensitive)
  }
}

/// A port that an operation declares as a property: found by reflection, and connected to the operation's run.
protocol DeclaredPort: PossiblePort, AnyObject, Sendable {
  /// The name that it reads or writes; `nil` if it is that of its property.
  var ownName: String? { get }
  var isSensitive: Bool { get }
}

/// The type of a property that is a port or may be one: an operation that sometimes needs no port has an optional.
protocol PossiblePort {
  /// Whether it is an input rather than an output.
  static var isInput: Bool { get }
  /// Whether its values are certain not to be optionals.
  static var isPlain: Bool { get }
  /// The port in the property at an address.
  static func declared(at address: UnsafeRawPointer) -> FoundPort?
}

/// A port in a property; its type says which, so that no port has to be cast.
enum FoundPort {
  case input(any DeclaredInput)
  case output(any DeclaredOutput)
}

extension Optional: PossiblePort where Wrapped: DeclaredPort {
  static var isInput: Bool { Wrapped.isInput }
  static var isPlain: Bool { Wrapped.isPlain }

  static func declared(at address: UnsafeRawPointer) -> FoundPort? {
    // An optional object is stored as the object, or as nothing.
    address.load(as: Self.self) == nil ? nil : Wrapped.declared(at: address)
  }
}

protocol DeclaredInput: DeclaredPort {
  /// What it declares under the name that it reads.
  func port(named name: String) -> InputPort
  /// Whether that is the same as one of these, which isn't copied.
  func declares(_ ports: [InputPort], at index: Int, named name: String) -> Bool
  /// Keeps the value that the operation will read, if it needs no conversion; false if it does.
  func keep(_ entry: DataBucket.Entry) -> Bool
  /// The same for any value; returns a warning about one that the operation can't use, and throws if it needs one.
  ///
  /// Whether the name is sensitive is asked only for the text of an error.
  func resolve(_ value: (any Sendable)?, named name: String, isSensitive: () -> Bool) throws(FlowError) -> String?
  /// Prepares the input of an operation that never starts: it then reads this value if that fits, or an empty one.
  func retire(_ value: (any Sendable)?)
}

protocol DeclaredOutput: DeclaredPort {
  /// What it declares under the name that it writes.
  func port(named name: String) -> OutputPort
  /// Whether that is the same as one of these, which isn't copied.
  func declares(_ ports: [OutputPort], at index: Int, named name: String) -> Bool
  /// The assigned value; `NoValue` if there is none.
  var assigned: any Sendable { get }
}
