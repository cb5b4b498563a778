/// What is known of the data bucket at one place of a flow, over all paths that lead there.
///
/// A step that declares no output may write, overwrite and remove anything: after it nothing is known any more.
struct KnownData: Sendable {
  /// Who has written a name.
  enum Writer: Sendable {
    /// It was there at first, with this value.
    case initial(any Sendable)
    /// A step writes it, as a type that may not be known.
    case step(path: String, type: Any.Type?)
  }

  struct Fact: Sendable {
    /// Whether there is a path on which nobody has written the name.
    var isMissingSomewhere: Bool
    /// All that may have written it last.
    var writers: [Writer]
  }

  private var facts: [String: Fact] = [:]
  /// Whether a path leads here on which every write is known.
  private var hasClosedPath = true
  /// Whether a path leads here on which anything may have been written.
  private(set) var hasOpenPath = false

  init(_ data: [String: any Sendable]) {
    facts = data.compactMapValues(unwrapped).mapValues {
      Fact(isMissingSomewhere: false, writers: [.initial($0)])
    }
  }

  /// What is known of a name; `nil` where nothing is.
  subscript(name: String) -> Fact? {
    facts[name] ?? (hasClosedPath ? Fact(isMissingSomewhere: true, writers: []) : nil)
  }

  /// Whether some path may have written the name.
  func mayHold(_ name: String) -> Bool {
    hasOpenPath || facts[name]?.writers.isEmpty == false
  }

  mutating func write(_ name: String, by writer: Writer) {
    facts[name] = Fact(isMissingSomewhere: false, writers: [writer])
  }

  /// A value is written where the name is missing.
  mutating func ensure(_ name: String, _ value: any Sendable) {
    guard let fact = self[name] else {
      // Somebody may always have written it, so that the value is never needed.
      return write(name, by: .step(path: "", type: nil))
    }
    guard fact.isMissingSomewhere else { return }
    facts[name] = Fact(isMissingSomewhere: false, writers: fact.writers + [.initial(value)])
  }

  /// The names that a step has written on some path.
  var namesWrittenBySteps: [String] {
    facts.filter { fact in
      fact.value.writers.contains { if case .step = $0 { true } else { false } }
    }.map(\.key)
  }

  mutating func forgetAll() {
    guard hasClosedPath || !facts.isEmpty else { return }
    facts = [:]
    hasClosedPath = false
    hasOpenPath = true
  }

  /// What is known where several paths meet: only what is so on all of them is certain.
  static func merging(_ branches: [KnownData]) -> KnownData? {
    guard var merged = branches.first else { return nil }
    for branch in branches.dropFirst() {
      for name in Set(merged.facts.keys).union(branch.facts.keys) {
        guard let left = merged[name], let right = branch[name] else {
          // On one of the paths anything may stand there; that it is missing on the other is certain all the same.
          let isMissing = (merged[name] ?? branch[name])?.isMissingSomewhere ?? false
          merged.facts[name] = Fact(isMissingSomewhere: isMissing, writers: [.step(path: "", type: nil)])
          continue
        }
        merged.facts[name] = Fact(
          isMissingSomewhere: left.isMissingSomewhere || right.isMissingSomewhere,
          writers: left.writers + right.writers)
      }
      merged.hasClosedPath = merged.hasClosedPath || branch.hasClosedPath
      merged.hasOpenPath = merged.hasOpenPath || branch.hasOpenPath
    }
    return merged
  }
}
