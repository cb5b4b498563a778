/// A value whose type only its reader knows, such as one that another process has stored as JSON.
///
/// It is a class, but not bound to be one: a cast to what has to be a class makes a Foundation collection of each collection.
package protocol UndecodedValue: Sendable, CustomStringConvertible {
  /// Tells it from other values.
  var identity: ObjectIdentifier { get }
  /// The value as a type; `nil` if it can't be read as that.
  func decoded<Value>(as type: Value.Type) -> Value?
  /// Why it can't be decoded as a type, in a sentence without a period; `nil` if it can.
  ///
  /// The text may show a part of the value.
  func obstacle(toDecodingAs type: Any.Type) -> String?

  var elements: [any Sendable]? { get }
  /// A word for the value's form, such as `array` or `string`.
  var form: String { get }
  /// The texts and numbers in it, which are what is hidden of a sensitive value.
  var texts: [String] { get }
}

extension UndecodedValue where Self: AnyObject {
  package var identity: ObjectIdentifier { ObjectIdentifier(self) }
}

/// Stands for a value that was there when an earlier process ended, and was not stored.
package struct UnavailableValue: Sendable {
  /// Whether that is because it is sensitive.
  package let isSensitive: Bool

  package init(isSensitive: Bool) { self.isSensitive = isSensitive }
}

/// Returns a value that isn't decoded yet as the type that its reader asks for; `nil` if it is of no such type.
func restored<Value>(_ value: any Sendable, as type: Value.Type = Value.self) -> Value? {
  if let undecoded = value as? any UndecodedValue { return undecoded.decoded(as: type) }
  guard let array = value as? [any Sendable], let type = type as? any ArrayElements.Type else { return nil }
  return type.restored(array) as? Value
}
