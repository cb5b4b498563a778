/// The names whose values a record hides.
struct HiddenNames: Sendable {
  private(set) var names: Set<String> = []
  /// Which names are hidden without having been marked.
  let rule: FlowRedaction
  /// For each group, the names that an operation uses for its item and its output, with the run's keys for them.
  private var keys: [Int32: [String: String]] = [:]
  /// How often any of them has changed.
  private(set) var changeCount = 0

  init(_ rule: FlowRedaction = .none) { self.rule = rule }

  /// Whether no name can be hidden.
  var isEmpty: Bool { names.isEmpty && rule.isEmpty }

  @inline(never)
  mutating func insert(_ name: String) {
    if names.insert(ValueText.name(name)).inserted { changeCount += 1 }
  }

  mutating func insert(_ names: Set<String>) {
    for name in names { insert(name) }
  }

  /// Records that a name used by a group's items refers to a key of the run, and is hidden together with that key.
  mutating func note(_ name: String, of key: String, in step: Int32) {
    let key = ValueText.name(key)
    let old = keys[step, default: [:]].updateValue(key, forKey: ValueText.name(name))
    if old != key { changeCount += 1 }
  }

  /// Whether the values of a name are hidden in a step's events; names are as the record has them.
  @inline(never)
  func contains(_ name: String, in step: Int32) -> Bool {
    if isEmpty { return false }
    return contains(name) || keys[step]?[name].map(contains) ?? false
  }

  /// Whether a name of the run is hidden.
  @inline(never)
  func contains(_ name: String) -> Bool { names.contains(name) || rule.redacts(name) }

  /// An error of the work of a step without what is sensitive.
  func hide(_ error: any Error, of step: Int32, _ paths: PathTable?) -> any Error {
    (error as? FlowError)?.hiding({ contains($0, in: step) }, paths) ?? error
  }

  /// An error without what is sensitive.
  func hide(_ error: any Error, _ paths: PathTable?) -> any Error {
    hide(error, of: (error as? FlowError)?.path?.step ?? -1, paths)
  }
}
