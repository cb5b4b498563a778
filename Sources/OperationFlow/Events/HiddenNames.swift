/// The names whose values a record hides.
struct HiddenNames: Sendable {
  private(set) var names: Set<String> = []
  /// Which names are hidden without having been marked.
  let rule: FlowRedaction
  /// The run's keys by the names that the operations of groups use for their items and outputs, after the group's step.
  private var keys = [String: String]()
  private(set) var changeCount = 0

  init(_ rule: FlowRedaction = .none) { self.rule = rule }

  var isEmpty: Bool { names.isEmpty && rule.isEmpty }

  mutating func insert(_ names: Set<String>) {
    for name in names where self.names.insert(ValueText.name(name)).inserted { changeCount += 1 }
  }

  /// Records that a name used by a group's items refers to a key of the run, and is hidden together with that key.
  mutating func note(_ name: String, of key: String, in step: Int32) {
    let key = ValueText.name(key)
    if keys.updateValue(key, forKey: "\(step) \(ValueText.name(name))") != key { changeCount += 1 }
  }

  /// Whether the values of a name are hidden in a step's events; names are as the record has them.
  func contains(_ name: String, in step: Int32) -> Bool {
    if isEmpty { return false }
    return contains(name) || (keys.isEmpty ? nil : keys["\(step) \(name)"]).map(contains) ?? false
  }

  /// Whether a name of the run is hidden.
  func contains(_ name: String) -> Bool { names.contains(name) || rule.redacts(name) }

  /// An error of the work of a step, or of the one that it names, without what is sensitive.
  func hide(
    _ error: any Error, of step: Int32? = nil, _ paths: PathTable?, _ secrets: SecretTexts
  ) -> any Error {
    guard let error = error as? FlowError else { return error }
    let step = step ?? error.path?.step ?? -1
    return error.hiding({ contains($0, in: step) }, paths, scrubbing: secrets.scrubbing)
  }
}
