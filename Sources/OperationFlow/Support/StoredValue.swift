import Foundation

// The values in a bucket were stored as `any Sendable`, so their parts are sendable too. Swift can't express this: a
// cast to a marker protocol is impossible, and so is a conformance on its condition.

/// Access to single elements of a stored array of any type: a cast to `[Any]` would box all of them.
protocol ArrayElements {
  var elementType: Any.Type { get }
  var elementCount: Int { get }
  func element(at index: Int) -> any Sendable
  /// Returns an array of elements that may not be decoded yet; `nil` if one can't be.
  static func restored(_ elements: [any Sendable]) -> Any?
}

extension Array: ArrayElements {
  var elementType: Any.Type { Element.self }
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

/// Access to an `Optional` whose type isn't known to the calling code.
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

/// Returns the value inside any number of nested optionals; `nil` if there is none.
package func unwrapped(_ value: any Sendable) -> (any Sendable)? { isCommon(value) ? value : unwrappedOfAnyType(value) }

/// Returns true if the value's type is a common one, and no optional; other types need a lookup, which costs more.
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

/// Returns a part of a stored value, which is as sendable as the whole.
private func storedPart(_ part: Any) -> any Sendable {
  // `Sendable` has no witness table, so both existentials have the same layout.
  unsafeBitCast(part as Any, to: (any Sendable).self)
}

/// Returns true if the type is a struct or an enum: existentials conform to none of these protocols.
func isPlainValue(_ type: Any.Type) -> Bool {
  guard !(type is AnyClass), type != AnyHashable.self else { return false }
  return type is any Equatable.Type || type is any Encodable.Type || type is any CustomStringConvertible.Type
    || type is any CustomDebugStringConvertible.Type
}

// MARK: Values in boxes

/// The content of a box without a value: an optional of a box costs far more to copy and to free.
@usableFromInline
struct NoValue: Sendable {
  init() {}
}

/// Returns true if a value is in a box of exactly this type, which costs less than a cast.
func isBoxed<Boxed>(_ value: Boxed, as type: Any.Type) -> Bool { Boxed.self == type }

/// Returns the value of an opened box of exactly this type; `nil` for any other box.
@inlinable
func unboxed<Boxed, Value>(_ value: Boxed, as type: Value.Type) -> Value? {
  Boxed.self == type ? unsafeBitCast(value, to: type) : nil
}

/// Returns the value in a box of exactly this type; `nil` if it can't be read as this type.
func boxed<Value: Sendable>(_ value: any Sendable, as type: Value.Type) -> (any Sendable)? {
  isBoxed(value, as: type) ? value : boxedAnew(value, as: type)
}

private func boxedAnew<Value: Sendable>(_ value: any Sendable, as type: Value.Type) -> (any Sendable)? {
  guard let typed = value as? Value ?? restored(value, as: type) else { return nil }
  return typed
}

/// A value whose type is known only to its reader, such as one that another process has stored as JSON.
///
/// Conforming types are classes, but the protocol doesn't require that: a cast to a protocol of classes would bridge
/// each collection to Foundation.
package protocol UndecodedValue: Sendable, CustomStringConvertible {
  /// The identity of the value among other values.
  var identity: ObjectIdentifier { get }
  /// Returns the value as a type; `nil` if it can't be decoded as that type.
  func decoded<Value>(as type: Value.Type) -> Value?
  /// Returns the reason why it can't be decoded as a type, in a sentence without a period; `nil` if it can.
  ///
  /// The text may show a part of the value.
  func obstacle(toDecodingAs type: Any.Type) -> String?

  var elements: [any Sendable]? { get }
  /// A word for the value's form, such as `array` or `string`.
  var form: String { get }
  /// The texts and numbers in the value, which are hidden if the value is sensitive.
  var texts: [String] { get }
}

extension UndecodedValue where Self: AnyObject {
  package var identity: ObjectIdentifier { ObjectIdentifier(self) }
}

/// A placeholder for a value that existed when an earlier process ended, and was not stored.
package struct UnavailableValue: Sendable {
  /// True if the value was not stored because it is sensitive.
  package let isSensitive: Bool

  package init(isSensitive: Bool) { self.isSensitive = isSensitive }
}

/// Returns a value that isn't decoded yet as its reader's type; `nil` if it can't be decoded as that type.
func restored<Value>(_ value: any Sendable, as type: Value.Type = Value.self) -> Value? {
  if let undecoded = value as? any UndecodedValue { return undecoded.decoded(as: type) }
  guard let array = value as? [any Sendable], let type = type as? any ArrayElements.Type else { return nil }
  return type.restored(array) as? Value
}

/// Returns the empty value of a type, such as an empty string or 0; `nil` if the type has none.
func emptyValue<Value>(_ type: Value.Type) -> Value? {
  let value: Any? =
    switch type {
    case let type as any RangeReplaceableCollection.Type: type.init()
    case let type as any SetAlgebra.Type: type.init()
    case let type as any ExpressibleByDictionaryLiteral.Type: empty(type)
    case let type as any AdditiveArithmetic.Type: type.zero
    case is Bool.Type: false
    case is Date.Type: Date.distantPast
    case is URL.Type: URL(fileURLWithPath: "/")
    case is UUID.Type: UUID()
    default: nil
    }
  return value as? Value
}

private func empty<Literal: ExpressibleByDictionaryLiteral>(_ type: Literal.Type) -> Literal { [:] }
