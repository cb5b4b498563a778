/// A value that a case compares with what a key holds; its type is erased.
final class CaseValue: Sendable, Hashable {
  let value: any Hashable & Sendable
  /// The value as a condition shows it: a string as it is.
  let text: String

  init(_ value: any Hashable & Sendable) {
    self.value = value
    text = value as? String ?? ValueText.describe(value)
  }

  /// The type of the values that can be equal to it.
  var type: Any.Type { Swift.type(of: value) }

  /// Whether a value has its type.
  func accepts(_ other: any Sendable) -> Bool { Self.isSameType(value, other) }

  /// Whether a value has its type and is equal to it.
  func matches(_ other: any Sendable) -> Bool { Self.areEqual(value, other) }

  // The values are opened and not put into `AnyHashable`, for which the `Int` 1 and the `Double` 1 are equal.

  @inline(never)
  static func == (left: CaseValue, right: CaseValue) -> Bool { areEqual(left.value, right.value) }

  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }

  private static func areEqual<Value: Hashable>(_ value: Value, _ other: any Sendable) -> Bool {
    (other as? Value ?? restored(other, as: Value.self)) == value
  }

  private static func isSameType<Value: Hashable>(_ value: Value, _ other: any Sendable) -> Bool {
    other is Value || restored(other, as: Value.self) != nil
  }
}

extension CaseValue {
  /// Some values of a type that aren't among these, as an enum and `Bool` can tell; `nil` for any other type.
  ///
  /// It stops at the limit, so a type may have any number of them.
  static func missing<Value: Hashable & Sendable>(
    from values: [CaseValue], of type: Value.Type, limit: Int
  ) -> [CaseValue]? {
    let values = Set(values)
    let missing = { (other: Any) -> CaseValue? in
      guard let value = (other as? Value).map({ CaseValue($0) }), !values.contains(value) else { return nil }
      return value
    }
    if type == Bool.self { return [true, false].compactMap(missing) }
    return (type as? any CaseIterable.Type).map { first(limit, of: $0, missing) }
  }

  private static func first<Cases: CaseIterable>(
    _ limit: Int, of type: Cases.Type, _ missing: (Any) -> CaseValue?
  ) -> [CaseValue] {
    var found: [CaseValue] = []
    for value in type.allCases {
      if found.count == limit { break }
      if let value = missing(value) { found.append(value) }
    }
    return found
  }

  /// Some values of its type that aren't among these, as code names them; empty if none are known.
  func someOthers(than values: [CaseValue], limit: Int) -> [String] { Self.names(of: value, values, limit) }

  private static func names<Value: Hashable & Sendable>(
    of value: Value, _ values: [CaseValue], _ limit: Int
  ) -> [String] {
    let dot = Mirror(reflecting: value).displayStyle == .enum ? "." : ""
    return (missing(from: values, of: Value.self, limit: limit) ?? []).map { dot + $0.text }
  }
}
