/// Declares a value that an operation reads from the data bucket, checked before the flow runs.
///
/// ```swift
/// @FlowInput(.email) var email  // a String, as the key says
/// @FlowInput var attempts: Int = 3  // named by the property, with a default
/// @FlowInput var nickname: String?  // nil if it is missing
/// ```
/// Values are read once, just before the operation's work starts. If a value is missing or has another type, the
/// operation fails without running, as with ``FlowOperation/getData(name:isOptional:)-(String,_)``. An optional input,
/// or one with a default, is never an error; if the value has another type, the record gets a warning. Before the
/// operation has started, reading an input that is neither optional nor has a default stops the program.
///
/// The property can't have a name that `Operation` or ``FlowOperation`` uses, such as `name`, `state`, `description` or
/// `dependencies`: the compiler reports an override then. Use a key: `@FlowInput("name") var userName: String`.
///
/// A flow that releases an operation without starting it sets its inputs to the values in the data bucket, for its
/// `deinit`. If a text, a number or a collection is missing, the input is empty or zero. Make other inputs optional if
/// a `deinit` reads them.
@propertyWrapper
public final class FlowInput<Value: Sendable>: Sendable {
  private let state = Locked(InputState())
  let ownName: String?
  let isSensitive: Bool
  /// True if there is a fallback, so that the fallback needn't be copied to find out.
  private let hasFallback: Bool
  /// The value of an input without a value: the default, or `nil` for an optional whose type the compiler can see.
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

  /// Returns the value, the default or an empty value, whichever exists.
  @usableFromInline
  func unresolved() -> Value {
    let found = state.withLock { $0 }
    // Not written with `??`, which may box the optional itself.
    if found.hasValue, let typed = unboxed(found.value, as: Value.self) ?? (found.value as? Value) { return typed }
    if let fallback, let typed = unboxed(fallback, as: Value.self) ?? (fallback as? Value) { return typed }
    guard let value = Self.noValue ?? (found.isRetired ? emptyValue(Value.self) : nil) else {
      // A value of an unknown type can't be invented, and a property can't throw.
      preconditionFailure(
        "@FlowInput \(ownName ?? "of type \(Value.self)") was read before its operation started. Read it in mainLogic() or "
          + "run(), and declare it in the operation itself, in a module that is built with reflection metadata.")
    }
    return value
  }

  /// The `nil` of an optional type, even if only the caller of generic code sees that it is one.
  private static var noValue: Value? { (Value.self as? any OptionalValue.Type)?.noValue as? Value }
  private var isRequired: Bool { !hasFallback && !(Value.self is any OptionalValue.Type) }
}

/// The state of an input, outside of the generic class: there, the runtime would look up its type for each new input.
private struct InputState: Sendable {
  /// The value in a box of exactly the input's type, because an optional's type would be looked up at each access.
  var value: any Sendable = NoValue()
  var hasValue = false
  /// True if the operation never starts.
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

  /// Stores the value, unless there is one already.
  private func keep(_ found: any Sendable) {
    state.withLock { state in
      if state.hasValue { return }
      state.value = found
      state.hasValue = true
    }
  }

  func resolve(_ value: (any Sendable)?, named name: String, isSensitive: () -> Bool) throws(FlowError) -> String? {
    // A cast turns a missing value into an empty optional, and the default would never be used.
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

/// Returns the warning about a value of a type that the step can't use but doesn't need, without the value.
func unusedValue(named name: String, as wanted: Any.Type, found value: any Sendable) -> String {
  if let unavailable = value as? UnavailableValue {
    return FlowError.unavailable(name, isSensitive: unavailable.isSensitive).advice
  }
  let found = foundType(of: value)
  let wanted = (wanted as? any OptionalValue.Type)?.wrappedType ?? wanted
  return "<\(name)> in data bucket is of type <\(found.name)>, but NOT type <\(wanted)>: the step goes on without it. "
    + "Write a value of type \(wanted) under <\(name)>, or read it as \(found.readable)."
}
