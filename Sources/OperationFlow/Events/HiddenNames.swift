/// The names whose values a record hides.
struct HiddenNames: Sendable {
  private(set) var names: Set<String> = []
  /// For each group, the names that an operation uses for its item and its output, with the run's keys for them.
  private var keys: [Int32: [String: String]] = [:]

  var isEmpty: Bool { names.isEmpty }

  mutating func insert(_ name: String) { names.insert(ValueText.name(name)) }

  /// Records that a name used by a group's items refers to a key of the run, and is hidden together with that key.
  mutating func note(_ name: String, of key: String, in step: Int32) {
    keys[step, default: [:]][ValueText.name(name)] = ValueText.name(key)
  }

  /// Whether the values of a name are hidden in a step's events; names are as the record has them.
  func contains(_ name: String, in step: Int32) -> Bool {
    if names.isEmpty { return false }
    return names.contains(name) || keys[step]?[name].map(names.contains) ?? false
  }
}
