/// A branch's condition: the branch is chosen if a key has a given value.
public struct FlowCase: Sendable, Hashable {
  /// The name of the value to compare; `nil` for ``otherwise``.
  package private(set) var key: String?
  /// The values that match; empty for ``otherwise``.
  private(set) var values: [CaseValue] = []
  var isSensitive = false

  /// Creates the condition of a branch that is chosen if the data bucket has `value` under `key`.
  ///
  /// - Parameters:
  ///   - key: The name of the value to compare.
  ///   - value: The string that the key must have.
  public init(key: String, value: String) { self.init(key: FlowKey(key), value: value) }

  /// Creates the condition of a branch that is chosen if the data bucket has `value` under `key`.
  ///
  /// - Parameters:
  ///   - key: The key of the value to compare.
  ///   - value: The string that the key must have.
  public init(key: FlowKey<String>, value: String) { self.init(key: key, values: [value]) }

  init<Value: Hashable & Sendable>(key: FlowKey<Value>, values: [Value]) {
    self.key = key.name
    self.values = values.map { CaseValue($0) }
    isSensitive = key.isSensitive
  }

  private init() {}

  /// The condition of the branch that is chosen if no other one matches, no matter where it is among them.
  public static let otherwise = FlowCase()

  /// The text of the condition in a record, such as `target=A`.
  package var text: String { text(hiding: []) }

  func text(hiding sensitiveNames: Set<String>) -> String {
    guard let key else { return "otherwise" }
    return "\(key)=\(isSensitive || sensitiveNames.contains(key) ? ValueText.redacted : valueText)"
  }

  package var comparedValues: [any Sendable] { values.map(\.value) }

  /// Returns the condition with only some of its values.
  func holding(_ some: [CaseValue]) -> FlowCase {
    var condition = self
    condition.values = some
    return condition
  }

  /// Returns true if a value is one of the condition's; a value of another type isn't.
  func matches(_ value: any Sendable) -> Bool { values.contains { $0.matches(value) } }

  /// The values as a record shows them, such as `web`, or `web|film`.
  var valueText: String { values.map(\.text).joined(separator: "|") }
}

extension FlowCase: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `target=A`, or `otherwise`; the value of a sensitive key is shown as `<redacted>`.
  public var description: String { LineText.escaped(text) }

  /// The text of ``description``.
  public var debugDescription: String { description }

  /// The key and the value, which is hidden if the key is sensitive.
  public var customMirror: Mirror {
    let value = isSensitive ? ValueText.redacted : valueText
    return Mirror(self, children: ["key": key as Any, "value": value], displayStyle: .struct)
  }
}

/// A value of any type that a case compares with the value of a key.
final class CaseValue: Sendable, Hashable {
  let value: any Hashable & Sendable
  /// The value as the text of a condition shows it: a string without quotation marks.
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

  /// Compares the values in their own type, because as `AnyHashable` the `Int` 1 and the `Double` 1 are equal.
  func matches(_ other: any Sendable) -> Bool {
    func isEqual<Value: Hashable>(_ value: Value) -> Bool {
      (other as? Value ?? restored(other, as: Value.self)) == value
    }
    return isEqual(value)
  }

  static func == (left: CaseValue, right: CaseValue) -> Bool { left.matches(right.value) }

  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }

  /// Returns true if the type is known to have no values besides the given ones.
  func isLast(of values: Set<CaseValue>) -> Bool {
    func missing<Value: Hashable & Sendable>(_: Value) -> [String]? { Self.missing(from: values, of: Value.self) }
    return missing(value)?.isEmpty == true
  }

  /// Returns true if the type is certain to have values besides the given ones.
  func hasOthers(than values: Set<CaseValue>) -> Bool {
    func missing<Value: Hashable & Sendable>(_: Value) -> [String]? { Self.missing(from: values, of: Value.self) }
    if let missing = missing(value) { return !missing.isEmpty }
    return value is any StringProtocol || value is any BinaryInteger || value is any BinaryFloatingPoint
  }

  /// Returns a few values of a type that aren't in `values`, as written in code; `nil` if they can't be listed.
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
