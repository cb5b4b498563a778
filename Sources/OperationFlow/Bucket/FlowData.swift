/// The data that a run begins with, accessed by typed keys.
///
/// ```swift
/// let outcome = await flow.run { $0[.user] = "ann" }
/// ```
/// It starts as the flow's initial data. A value that is set with a sensitive key is shown as `<redacted>` in that run.
public struct FlowData: Sendable, CustomStringConvertible, CustomReflectable {
  private(set) var entries: [String: RecordedValue]
  package private(set) var sensitiveNames: Set<String>
  private var assignedNames: Set<String> = []

  init(_ entries: [String: RecordedValue] = [:], sensitiveNames: Set<String> = []) {
    self.entries = entries
    self.sensitiveNames = sensitiveNames
  }

  package init(values: [String: any Sendable]) {
    self.init()
    merge(values)
  }

  package var values: [String: any Sendable] { entries.known }

  /// The value under `key`.
  ///
  /// It is `nil` if the value is missing or has another type; setting `nil` removes the name.
  public subscript<Value>(key: FlowKey<Value>) -> Value? {
    // Without `flatMap`, a missing value would be cast to an optional `Value`, which succeeds.
    get { entries[key.name].flatMap { $0.value as? Value } }
    set {
      if key.isSensitive { sensitiveNames.insert(key.name) }
      assign(newValue, to: key.name)
    }
  }

  private mutating func assign(_ value: (any Sendable)?, to name: String) {
    assignedNames.insert(name)
    entries[name] = value.flatMap(unwrapped).map(RecordedValue.init(initial:))
  }

  /// The names and texts of all values, sorted by name; sensitive values are shown as `<redacted>`.
  public var description: String {
    LineText.escaped("[\(items.map { "\($0.name): \($0.text)" }.joined(separator: ", "))]")
  }

  /// The texts of the values by their names, as ``description`` shows them.
  public var customMirror: Mirror {
    Mirror(self, children: items.map { ($0.name, $0.text as Any) }, displayStyle: .struct)
  }

  /// The names and texts of the values, sorted by name; this may make texts, so no lock may be held.
  var items: [FlowEvent.Item] { entries.items(hiding: sensitiveNames).map { $0.scrubbing(secrets()) } }

  /// Returns the texts of the values that are sensitive, or whose names the rule redacts.
  func secrets(_ redaction: FlowRedaction = .none, also otherNames: Set<String> = []) -> SecretTexts {
    entries.secrets { name in
      sensitiveNames.contains(name) || otherNames.contains(name) || redaction.redacts(ValueText.name(name))
    }
  }

  package mutating func merge(_ others: [String: any Sendable]) {
    for (name, value) in others { assign(value, to: name) }
  }

  package consuming func merging(_ others: [String: any Sendable]) -> FlowData {
    others.isEmpty ? self : changed { $0.merge(others) }
  }

  /// The values that the caller of a run has set.
  package var assigned: [String: any Sendable] {
    values.filter { assignedNames.contains($0.key) }
  }

  package func changed(by change: (inout FlowData) throws -> Void) rethrows -> FlowData {
    var data = self
    data.assignedNames = []
    try change(&data)
    return data
  }
}
