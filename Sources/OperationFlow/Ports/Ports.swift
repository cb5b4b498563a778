/// A value that a step reads or writes, declared before the run.
package final class StepPort: Sendable {
  package let name: String
  /// The type that it is read or written as; `nil` for reading an array of any type, or if what is written isn't known.
  package let type: Any.Type?
  /// Whether the step fails if it is missing; false for what the step writes.
  package let isRequired: Bool
  package let isSensitive: Bool
  let accepts: @Sendable (any Sendable) -> Bool

  init<Value>(reading key: FlowKey<Value>, isRequired: Bool = true) {
    name = key.name
    type = Value.self
    self.isRequired = isRequired
    isSensitive = key.isSensitive
    accepts = { isBoxed($0, as: Value.self) || StepPort.isReadable($0, as: Value.self) }
  }

  /// Separate, because asking looks up the type of an optional.
  private static func isReadable<Value>(_ value: any Sendable, as type: Value.Type) -> Bool {
    value is Value || restored(value, as: type) != nil
  }

  init(readingArray name: String, isSensitive: Bool) {
    self.name = name
    type = nil
    isRequired = true
    self.isSensitive = isSensitive
    accepts = { $0 is any ArrayElements || $0 is [Any] }
  }

  init(writing name: String, type: Any.Type?, isSensitive: Bool) {
    self.name = name
    self.type = type
    isRequired = false
    self.isSensitive = isSensitive
    accepts = { _ in true }
  }

  convenience init<Value>(writing key: FlowKey<Value>) {
    self.init(writing: key.name, type: Value.self, isSensitive: key.isSensitive)
  }
}

/// A port that an operation declares as a property: found by reflection, and connected to the operation's run.
protocol DeclaredPort: PossiblePort, AnyObject, Sendable {
  /// The name that it reads or writes; `nil` if it is that of its property.
  var ownName: String? { get }
  var isSensitive: Bool { get }
  /// What it declares under the name that it reads or writes.
  func port(named name: String) -> StepPort
  /// Whether that is the same as one of these, which isn't copied.
  func declares(_ ports: [StepPort], at index: Int, named name: String) -> Bool
  /// The value that it has, in a box; `NoValue` if it has none.
  var held: any Sendable { get }

  // What only an input does.

  /// Keeps the value that the operation will read, if it needs no conversion; false if it does.
  func keep(_ entry: RecordedValue) -> Bool
  /// The same for any value; returns a warning about one that the operation can't use, and throws if it needs one.
  ///
  /// Whether the name is sensitive is asked only for the text of an error.
  func resolve(_ value: (any Sendable)?, named name: String, isSensitive: () -> Bool) throws(FlowError) -> String?
  /// Prepares the input of an operation that never starts: it then reads this value if that fits, or an empty one.
  func retire(_ value: (any Sendable)?)
}

/// The type of a property that is a port or may be one: an operation that sometimes needs no port has an optional.
protocol PossiblePort {
  static var isInput: Bool { get }
  /// Whether its values are certain not to be optionals.
  static var isPlain: Bool { get }
  static func declared(at address: UnsafeRawPointer) -> (any DeclaredPort)?
}

extension Optional: PossiblePort where Wrapped: DeclaredPort {
  static var isInput: Bool { Wrapped.isInput }
  static var isPlain: Bool { Wrapped.isPlain }

  static func declared(at address: UnsafeRawPointer) -> (any DeclaredPort)? {
    // An optional object is stored as the object, or as nothing.
    address.load(as: Self.self) == nil ? nil : Wrapped.declared(at: address)
  }
}
