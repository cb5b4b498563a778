/// A value that a case compares with what a key holds; its type is erased.
struct CaseValue: Sendable, Hashable {
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
  static func == (left: Self, right: Self) -> Bool { areEqual(left.value, right.value) }

  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }

  private static func areEqual<Value: Hashable>(_ value: Value, _ other: any Sendable) -> Bool {
    (other as? Value ?? restored(other, as: Value.self)) == value
  }

  private static func isSameType<Value: Hashable>(_ value: Value, _ other: any Sendable) -> Bool {
    other is Value || restored(other, as: Value.self) != nil
  }
}

extension CaseValue {
  /// Whether a type has no values other than these, as an enum and `Bool` can tell.
  ///
  /// It stops at the first value that is missing, so a type may have any number of them.
  static func coverAll<Value: Hashable & Sendable>(of type: Value.Type, _ values: some Sequence<CaseValue>) -> Bool {
    let values = Set(values)
    if type == Bool.self { return [true, false].allSatisfy { values.contains(CaseValue($0)) } }
    guard let type = type as? any CaseIterable.Type else { return false }
    return areAll(of: type) { ($0 as? Value).map { values.contains(CaseValue($0)) } ?? false }
  }

  /// Some values of its type that aren't among these, as an enum and `Bool` can tell, as code names them.
  func someOthers(than values: [CaseValue], limit: Int) -> [String] {
    Self.someOthers(value, Set(values + [self]), limit)
  }

  private static func someOthers<Value: Hashable & Sendable>(
    _ value: Value, _ values: Set<CaseValue>, _ limit: Int
  ) -> [String] {
    let name = { (other: Any) -> String? in
      guard let other = (other as? Value).map({ CaseValue($0) }), !values.contains(other) else { return nil }
      return Mirror(reflecting: value).displayStyle == .enum ? "." + other.text : other.text
    }
    if Value.self == Bool.self { return [true, false].compactMap(name) }
    return (Value.self as? any CaseIterable.Type).map { names(of: $0, limit, name) } ?? []
  }

  private static func names<Cases: CaseIterable>(
    of type: Cases.Type, _ limit: Int, _ name: @escaping (Any) -> String?
  ) -> [String] {
    Array(type.allCases.lazy.compactMap { name($0) }.prefix(limit))
  }

  private static func areAll<Cases: CaseIterable>(of type: Cases.Type, _ isCovered: (Any) -> Bool) -> Bool {
    type.allCases.allSatisfy { isCovered($0) }
  }
}
