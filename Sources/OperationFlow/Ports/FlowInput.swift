/// Declares a value that an operation reads from the data bucket, checked before the flow runs.
///
/// ```swift
/// @FlowInput(.email) var email  // a String, as the key says
/// @FlowInput var attempts: Int = 3  // named by the property, with a default
/// @FlowInput var nickname: String?  // nil if it is missing
/// ```
/// Values are read once, just before the operation's work starts: if one is missing or has another type, the operation
/// fails without running, as with ``FlowOperation/getData(name:isOptional:)-(String,_)``. An optional input, or one
/// with a default, is never an error; if the value has another type, the record gets a warning. Before the operation
/// has started there is nothing to read: reading an input that is neither optional nor has a default then stops the
/// program.
///
/// The property can't have a name that `Operation` and ``FlowOperation`` use already, such as `name`, `state`,
/// `description` or `dependencies`: the compiler then reports that it overrides a property, or can't. Use another name
/// with a key: `@FlowInput("name") var userName: String`.
///
/// A flow that releases an operation without ever starting it passes it the values in the data bucket, for its
/// `deinit`. If there is no value, a text, a number or a collection reads as an empty one. Make an input of another
/// type optional if a `deinit` reads it.
@propertyWrapper
public final class FlowInput<Value: Sendable>: @unchecked Sendable {
  // Invariant: the variables are read and written only under the object's shared lock, and no value is freed under it.
  private var name: String?
  private var value: Value?
  /// Whether the operation never starts.
  private var isRetired = false
  private let isSensitive: Bool
  private let isStored: Bool
  /// The value used if none is there: the default, or `nil` for an optional.
  private let fallback: Value?

  private init(name: String?, isSensitive: Bool, isStored: Bool = true, fallback: Value?) {
    PortTally.add()
    self.isSensitive = isSensitive
    self.isStored = isStored
    self.fallback = fallback
    self.name = name
  }

  /// Declares an input that is named after its property.
  public convenience init() {
    // An optional whose type only the caller of generic code knows; the others are found by the compiler.
    self.init(
      name: nil, isSensitive: false, fallback: (Value.self as? any OptionalValue.Type)?.noValue as? Value)
  }

  /// Declares an optional input that is named after its property.
  public convenience init<Wrapped: Sendable>() where Value == Wrapped? {
    self.init(name: nil, isSensitive: false, fallback: .some(nil))
  }

  /// Declares an input that is named after its property, with a default.
  ///
  /// - Parameter wrappedValue: The value to use if the data bucket has none, or one of another type.
  public convenience init(wrappedValue: Value) {
    self.init(name: nil, isSensitive: false, fallback: wrappedValue)
  }

  /// Declares an input.
  ///
  /// - Parameter key: The key to read.
  public convenience init(_ key: FlowKey<Value>) {
    self.init(
      name: key.name, isSensitive: key.isSensitive, isStored: key.isStored,
      fallback: (Value.self as? any OptionalValue.Type)?.noValue as? Value)
  }

  /// Declares an input with a default.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value to use if the data bucket has none, or one of another type.
  ///   - key: The key to read.
  public convenience init(wrappedValue: Value, _ key: FlowKey<Value>) {
    self.init(name: key.name, isSensitive: key.isSensitive, isStored: key.isStored, fallback: wrappedValue)
  }

  /// Declares an optional input.
  ///
  /// - Parameter key: The key to read.
  public convenience init<Wrapped: Sendable>(_ key: FlowKey<Wrapped>) where Value == Wrapped? {
    self.init(name: key.name, isSensitive: key.isSensitive, isStored: key.isStored, fallback: .some(nil))
  }

  /// The value that was in the data bucket when the operation started.
  public var wrappedValue: Value {
    if let value = SharedLocks.all.withLock(of: self, { self.value }) { return value }
    let isRetired = SharedLocks.all.withLock(of: self) { self.isRetired }
    guard let value = fallback ?? (isRetired ? emptyValue(Value.self) : nil) else {
      // A value of an unknown type can't be made up, and a property can't throw.
      preconditionFailure(
        "@FlowInput \(portName) was read before its operation started. Read it in mainLogic() or run(), and declare "
          + "it in the operation itself, in a module that is built with reflection metadata.")
    }
    return value
  }
}

extension FlowInput: DeclaredInput {
  static func declared(at address: UnsafeRawPointer) -> FoundPort? { .input(address.load(as: Self.self)) }

  var port: InputPort { InputPort(key, isRequired: fallback == nil) }

  var key: FlowKey<Value> { FlowKey(portName, sensitive: isSensitive, isStored: isStored) }

  var portName: String { SharedLocks.all.withLock(of: self) { name } ?? "" }

  var portIsSensitive: Bool { isSensitive }

  func adopt(propertyName: String) {
    SharedLocks.all.withLock(of: self) { if name == nil { name = propertyName } }
  }

  func retire(_ value: (any Sendable)?) {
    guard let value else { return SharedLocks.all.withLock(of: self) { isRetired = true } }
    let typed = value as? Value ?? restored(value, as: Value.self)
    SharedLocks.all.withLock(of: self) {
      isRetired = true
      if self.value == nil { self.value = typed }
    }
  }

  func resolve(_ value: (any Sendable)?, named name: String, isSensitive: () -> Bool) throws(FlowError) -> String? {
    // A cast turns a missing value into an optional that holds nothing, and the default would never be used.
    if let value, let typed = value as? Value ?? restored(value, as: Value.self) {
      let old = SharedLocks.all.withLock(of: self) {
        defer { self.value = typed }
        return self.value
      }
      withExtendedLifetime(old) {}
    } else if fallback == nil || value is WithheldValue {
      _ = try checked(value, name: name, isSensitive: isSensitive(), as: Value.self)
    } else if let value {
      return unusedValue(named: name, as: Value.self, found: value)
    }
    return nil
  }
}

/// The warning about a value that a step can't use but can do without; the value itself may be a secret.
func unusedValue(named name: String, as wanted: Any.Type, found value: any Sendable) -> String {
  let (found, wanted) = (FoundType(of: value), (wanted as? any OptionalValue.Type)?.wrappedType ?? wanted)
  return "<\(name)> in data bucket is of type <\(found)>, but NOT type <\(wanted)>: the step goes on without it. "
    + "Write a value of type \(wanted) under <\(name)>, or read it as \(found.readable)."
}
