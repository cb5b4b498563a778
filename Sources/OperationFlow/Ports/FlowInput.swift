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
/// has started, reading an input that is neither optional nor has a default stops the program.
///
/// The property can't have a name that `Operation` or ``FlowOperation`` uses, such as `name`, `state`, `description` or
/// `dependencies`: the compiler reports an override then. Use a key: `@FlowInput("name") var userName: String`.
///
/// A flow that releases an operation without starting it passes it the values in the data bucket, for its `deinit`.
/// Missing texts, numbers and collections read as empty ones. Make others optional if a `deinit` reads them.
@propertyWrapper
public final class FlowInput<Value: Sendable>: Sendable {
  private let state = Locked(InputState())
  let ownName: String?
  let isSensitive: Bool
  /// Whether there is a fallback, which isn't copied to find out.
  private let hasFallback: Bool
  /// The value used if none is there: the default, or `nil` for an optional that the compiler knows as one.
  private let fallback: (any Sendable)?

  @usableFromInline
  init(name: String?, isSensitive: Bool, fallback: consuming (any Sendable)? = nil) {
    PortCounter.add()
    self.isSensitive = isSensitive
    hasFallback = fallback != nil
    self.fallback = fallback
    ownName = name
  }

  /// Declares an input that is named after its property.
  @inlinable
  public convenience init() {
    self.init(name: nil, isSensitive: false)
  }

  /// Declares an optional input that is named after its property.
  @inlinable
  public convenience init<Wrapped: Sendable>() where Value == Wrapped? {
    self.init(name: nil, isSensitive: false, fallback: Value.none as any Sendable)
  }

  /// Declares an input that is named after its property, with a default.
  ///
  /// - Parameter wrappedValue: The value to use if the data bucket has none, or one of another type.
  @inlinable
  public convenience init(wrappedValue: Value) {
    self.init(name: nil, isSensitive: false, fallback: wrappedValue as any Sendable)
  }

  /// Declares an input.
  ///
  /// - Parameter key: The key to read.
  public convenience init(_ key: FlowKey<Value>) {
    self.init(name: key.name, isSensitive: key.isSensitive)
  }

  /// Declares an input with a default.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value to use if the data bucket has none, or one of another type.
  ///   - key: The key to read.
  public convenience init(wrappedValue: Value, _ key: FlowKey<Value>) {
    self.init(name: key.name, isSensitive: key.isSensitive, fallback: wrappedValue as any Sendable)
  }

  /// Declares an optional input.
  ///
  /// - Parameter key: The key to read.
  public convenience init<Wrapped: Sendable>(_ key: FlowKey<Wrapped>) where Value == Wrapped? {
    self.init(name: key.name, isSensitive: key.isSensitive, fallback: Value.none as any Sendable)
  }

  /// The value that was in the data bucket when the operation started.
  @inlinable
  public var wrappedValue: Value {
    if let value = unboxed(held, as: Value.self) { return value }
    return unresolved()
  }

  @usableFromInline var held: any Sendable { state.withLock { $0.value } }

  /// The value to use if none was there.
  @usableFromInline
  func unresolved() -> Value {
    let found = state.withLock { $0 }
    // Written out, because `??` may box an optional itself.
    if found.hasValue, let typed = unboxed(found.value, as: Value.self) ?? (found.value as? Value) { return typed }
    if let fallback, let typed = unboxed(fallback, as: Value.self) ?? (fallback as? Value) { return typed }
    guard let value = Self.noValue ?? (found.isRetired ? emptyValue(Value.self) : nil) else {
      // A value of an unknown type can't be made up, and a property can't throw.
      preconditionFailure(
        "@FlowInput \(ownName ?? "of type \(Value.self)") was read before its operation started. Read it in mainLogic() or "
          + "run(), and declare it in the operation itself, in a module that is built with reflection metadata.")
    }
    return value
  }

  /// What an optional is without a value, also one whose type only the caller of generic code knows.
  private static var noValue: Value? { (Value.self as? any OptionalValue.Type)?.noValue as? Value }
  private var isRequired: Bool { !hasFallback && !(Value.self is any OptionalValue.Type) }
}

/// It isn't within the input, which is generic: the runtime would look up its type each time that one is made.
private struct InputState: Sendable {
  /// In a box that holds exactly the input's type, because the type of an optional would be looked up at each access.
  var value: any Sendable = NoValue()
  var hasValue = false
  /// Whether the operation never starts.
  var isRetired = false
}

extension FlowInput: DeclaredPort {
  static func declared(at address: UnsafeRawPointer) -> (any DeclaredPort)? {
    address.assumingMemoryBound(to: FlowInput<Value>.self).pointee
  }

  static var isInput: Bool { true }

  func port(named name: String) -> StepPort {
    StepPort(reading: FlowKey<Value>(name, sensitive: isSensitive), isRequired: isRequired)
  }

  func retire(_ value: (any Sendable)?) {
    state.withLock { $0.isRetired = true }
    if let value, let found = boxed(value, as: Value.self) { keep(found) }
  }

  /// Keeps a value, which is the one that counts if there is none yet.
  private func keep(_ found: any Sendable) {
    state.withLock { state in
      if state.hasValue { return }
      state.value = found
      state.hasValue = true
    }
  }

  func resolve(_ value: (any Sendable)?, named name: String, isSensitive: () -> Bool) throws(FlowError) -> String? {
    // A cast turns a missing value into an optional that holds nothing, and the default would never be used.
    if let value, let found = boxed(value, as: Value.self) {
      keep(found)
    } else if value is UnavailableValue || isRequired {
      _ = try checked(value, name: name, isSensitive: isSensitive(), as: Value.self)
    } else if let value {
      return unusedValue(named: name, as: Value.self, found: value)
    }
    return nil
  }
}

/// The warning about a value that a step can't use but can do without; the value itself may be a secret.
func unusedValue(named name: String, as wanted: Any.Type, found value: any Sendable) -> String {
  if let unavailable = value as? UnavailableValue {
    return FlowError.unavailable(name, isSensitive: unavailable.isSensitive).advice
  }
  let found = foundType(of: value)
  let wanted = (wanted as? any OptionalValue.Type)?.wrappedType ?? wanted
  return "<\(name)> in data bucket is of type <\(found.name)>, but NOT type <\(wanted)>: the step goes on without it. "
    + "Write a value of type \(wanted) under <\(name)>, or read it as \(found.readable)."
}
