/// A value of any type that a case compares with what a key holds.
final class CaseValue: Sendable, Hashable {
  let value: any Hashable & Sendable
  /// The value as a condition shows it: a string as it is.
  let text: String

  init(_ value: any Hashable & Sendable) {
    self.value = value
    text = value as? String ?? ValueText.describe(value)
  }

  var type: Any.Type { Swift.type(of: value) }

  func accepts(_ other: any Sendable) -> Bool {
    func isSameType<Value: Hashable>(_: Value) -> Bool { other is Value || restored(other, as: Value.self) != nil }
    return isSameType(value)
  }

  /// Opens the values, because for `AnyHashable` the `Int` 1 and the `Double` 1 are equal.
  func matches(_ other: any Sendable) -> Bool {
    func isEqual<Value: Hashable>(_ value: Value) -> Bool {
      (other as? Value ?? restored(other, as: Value.self)) == value
    }
    return isEqual(value)
  }

  static func == (left: CaseValue, right: CaseValue) -> Bool { left.matches(right.value) }

  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }

  /// Whether its type is known to have no values besides the given ones.
  func isLast(of values: Set<CaseValue>) -> Bool {
    func missing<Value: Hashable & Sendable>(_: Value) -> [String]? { Self.missing(from: values, of: Value.self) }
    return missing(value)?.isEmpty == true
  }

  /// A few values of a type that aren't among these, as code names them; `nil` if the type can't tell its values.
  static func missing<Value: Hashable & Sendable>(from values: Set<CaseValue>, of type: Value.Type) -> [String]? {
    func name(_ other: Any) -> String? {
      guard let value = other as? Value, !values.contains(CaseValue(value)) else { return nil }
      return (Mirror(reflecting: value).displayStyle == .enum ? "." : "") + CaseValue(value).text
    }
    // A type may have any number of values.
    func firstNames<Cases: CaseIterable>(of type: Cases.Type) -> [String] {
      Array(type.allCases.lazy.compactMap(name).prefix(3))
    }
    if type == Bool.self { return [true, false].compactMap(name) }
    return (type as? any CaseIterable.Type).map { firstNames(of: $0) }
  }
}
