import Foundation

// The values in a bucket were stored as `any Sendable`, so their parts are sendable too. Swift can't express this: a
// marker protocol can be neither cast to nor used as the condition of a conformance.

/// Gives access to single elements of a stored array, whatever their type: a cast to `[Any]` would box all of them.
protocol ArrayElements {
  var elementCount: Int { get }
  func element(at index: Int) -> any Sendable
  /// An array of elements that may not be decoded yet; `nil` if one can't be.
  static func restored(_ elements: [any Sendable]) -> Any?
}

extension Array: ArrayElements {
  var elementCount: Int { count }
  func element(at index: Int) -> any Sendable { storedPart(self[index]) }

  static func restored(_ elements: [any Sendable]) -> Any? {
    var result: [Element] = []
    for element in elements {
      guard let typed = element as? Element ?? OperationFlow.restored(element, as: Element.self) else { return nil }
      result.append(typed)
    }
    return result
  }
}

/// Gives access to an `Optional` whose type isn't known to the calling code.
protocol OptionalValue {
  var wrappedValue: Any? { get }
  static var noValue: Self { get }
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalValue {
  var wrappedValue: Any? { self }
  static var noValue: Wrapped? { nil }
  static var wrappedType: Any.Type { Wrapped.self }
}

/// The value inside any number of nested optionals; `nil` if there is none.
package func unwrapped(_ value: any Sendable) -> (any Sendable)? { isCommon(value) ? value : unwrappedOfAnyType(value) }

/// Whether a value is of a type that many values have, and that is no optional; looking up others costs more.
func isCommon<Value>(_ value: Value) -> Bool {
  Value.self == Int.self || Value.self == String.self || Value.self == Bool.self || Value.self == Double.self
    || Value.self == [String].self || Value.self == [Int].self || Value.self == Data.self || Value.self == URL.self
    || Value.self == Date.self
}

private func unwrappedOfAnyType(_ value: any Sendable) -> (any Sendable)? {
  var current = value
  while let optional = current as? any OptionalValue {
    guard let inner = optional.wrappedValue else { return nil }
    current = storedPart(inner)
  }
  return current
}

/// A part of a stored value, as sendable as the whole.
private func storedPart(_ part: Any) -> any Sendable {
  // `Sendable` has no witness table, so both existentials have the same layout.
  unsafeBitCast(part as Any, to: (any Sendable).self)
}

/// Whether the type is a struct or an enum: existentials conform to none of these protocols.
func isPlainValue(_ type: Any.Type) -> Bool {
  guard !(type is AnyClass), type != AnyHashable.self else { return false }
  return type is any Equatable.Type || type is any Encodable.Type || type is any CustomStringConvertible.Type
    || type is any CustomDebugStringConvertible.Type
}

func isNeverOptional(_ type: Any.Type) -> Bool { !(type is any OptionalValue.Type) && isPlainValue(type) }

// MARK: Values in boxes

/// What is in a box in place of a value: an optional of a box costs far more to copy and to free.
@usableFromInline
struct NoValue: Sendable {
  init() {}
}

/// Whether a value is in a box of exactly that type: comparing types costs less than a cast, which asks the runtime.
func isBoxed<Boxed>(_ value: Boxed, as type: Any.Type) -> Bool { Boxed.self == type }

/// The value of a box that holds exactly this type, which is opened for a generic parameter; `nil` for any other box.
@inlinable
func unboxed<Boxed, Value>(_ value: Boxed, as type: Value.Type) -> Value? {
  Boxed.self == type ? unsafeBitCast(value, to: type) : nil
}

/// The value in a box of exactly that type, as its reader asks for it; `nil` if it can't be read so.
func boxed<Value: Sendable>(_ value: any Sendable, as type: Value.Type) -> (any Sendable)? {
  isBoxed(value, as: type) ? value : boxedAnew(value, as: type)
}

private func boxedAnew<Value: Sendable>(_ value: any Sendable, as type: Value.Type) -> (any Sendable)? {
  guard let typed = value as? Value ?? restored(value, as: type) else { return nil }
  return typed
}
