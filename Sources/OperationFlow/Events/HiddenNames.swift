/// The names whose values a record hides.
struct HiddenNames: Sendable {
  private(set) var names: Set<String> = []
  /// Of each group: what an operation calls its item and its output, with the keys under which the run has them.
  private var keys: [Int32: [String: String]] = [:]

  var isEmpty: Bool { names.isEmpty }

  mutating func insert(_ name: String) { names.insert(ValueText.name(name)) }

  /// Notes that what a group's items call by a name belongs to a key of the run, and is hidden with that.
  mutating func note(_ name: String, of key: String, in step: Int32) {
    keys[step, default: [:]][ValueText.name(name)] = ValueText.name(key)
  }

  /// Whether the values of a name are hidden in what a step says; names are as a record has them.
  func contains(_ name: String, in step: Int32) -> Bool {
    if names.isEmpty { return false }
    return names.contains(name) || keys[step]?[name].map(names.contains) ?? false
  }
}
