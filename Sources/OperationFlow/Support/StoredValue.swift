// What a bucket holds came in as `any Sendable`, so its parts are sendable too. The language can't say so: a marker
// protocol can neither be cast to nor be the condition of a conformance.

/// Sees a stored array as its elements, whatever their type, without a copy.
///
/// Casting `[String]` to `[Any]` boxes every element; this reads the one that is asked for.
protocol ArrayElements {
  var elementCount: Int { get }
  func element(at index: Int) -> Any
}

extension Array: ArrayElements {
  var elementCount: Int { count }
  func element(at index: Int) -> Any { self[index] }
}

/// An array that came out of a bucket.
struct StoredArray: @unchecked Sendable {
  // Invariant: never changed, and part of a value that was sendable when it was stored.
  let elements: any ArrayElements

  /// The array, if the value is one.
  init?(_ value: any Sendable) {
    guard let elements = value as? any ArrayElements else { return nil }
    self.elements = elements
  }

  subscript(index: Int) -> any Sendable { storedPart(elements.element(at: index)) }
}

/// Sees through an `Optional` whose type is not known to the code that looks at it.
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

/// The value itself, out of as many optionals as it was wrapped in; `nil` where there is none.
func unwrapped(_ value: any Sendable) -> (any Sendable)? {
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
