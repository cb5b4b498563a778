/// A branch's condition: it is taken when a key holds a given string.
public struct FlowCase: Sendable, Hashable {
  /// The name that is looked at; `nil` for ``otherwise``.
  let key: String?
  /// The string that it must hold.
  let value: String
  /// Whether what the key holds is shown as `<redacted>`.
  private(set) var isSensitive = false

  /// A branch that is taken when the data bucket holds `value` under `key`.
  ///
  /// - Parameters:
  ///   - key: The name to look at.
  ///   - value: The string that it must hold.
  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }

  /// A branch that is taken when the data bucket holds `value` under `key`.
  ///
  /// - Parameters:
  ///   - key: The key to look at.
  ///   - value: The string that it must hold.
  public init(key: FlowKey<String>, value: String) {
    self.init(key: key.name, value: value)
    isSensitive = key.isSensitive
  }

  private init() {
    key = nil
    value = ""
  }

  /// The branch that is taken when no other one fits, wherever it stands among them.
  public static let otherwise = FlowCase()

  /// `target=A`, as the record shows a chosen branch.
  var text: String { text(hiding: []) }

  /// The same, with the value hidden if its name is among those given.
  func text(hiding sensitiveNames: Set<String>) -> String {
    guard let key else { return "otherwise" }
    return "\(key)=\(isSensitive || sensitiveNames.contains(key) ? ValueText.redacted : value)"
  }
}

extension FlowCase: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `target=A`, or `otherwise`; what a sensitive key has to hold is shown as `<redacted>`.
  public var description: String { LineText.escaped(text) }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// The key and the value, which a sensitive key hides.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["key": key as Any, "value": isSensitive ? ValueText.redacted : value], displayStyle: .struct)
  }
}
