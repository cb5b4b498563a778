/// What is known of the data bucket at one place of a flow, over all paths that lead there.
///
/// A step that declares no output may write, overwrite and remove anything: after it nothing is known any more.
struct KnownData: Sendable {
  /// Who has written a name.
  enum Writer: Sendable {
    /// It was there at first, with this value, in the flow itself or in one that is a step.
    case initial(any Sendable, flow: String = "")
    /// A step writes it, as a type that may not be known.
    case step(path: String, type: Any.Type?)

    /// A step of which nothing is known.
    static let unknown = Writer.step(path: "", type: nil)

    fileprivate func isSame(as other: Writer) -> Bool {
      switch (self, other) {
      case (.initial(_, let flow), .initial(_, let otherFlow)): flow == otherFlow
      case (.step(let path, let type), .step(let otherPath, let otherType)): path == otherPath && type == otherType
      case (.initial, .step), (.step, .initial): false
      }
    }
  }

  struct Fact: Sendable {
    /// Whether there is a path on which nobody has written the name.
    var isMissingSomewhere: Bool
    /// All that may have written it last.
    var writers: [Writer]

    /// The writers of both, each once: branch by branch they would double.
    fileprivate func isSame(as other: Fact) -> Bool {
      isMissingSomewhere == other.isMissingSomewhere && writers.count == other.writers.count
        && zip(writers, other.writers).allSatisfy { $0.isSame(as: $1) }
    }

    fileprivate func writers(with others: [Writer]) -> [Writer] {
      writers + others.filter { other in !writers.contains { $0.isSame(as: other) } }
    }
  }

  private var facts: [String: Fact] = [:]
  /// Whether a path leads here on which every write is known.
  private var hasClosedPath = true
  /// Whether a path leads here on which anything may have been written.
  private(set) var hasOpenPath = false
  /// What the branches that were taken say of the strings under their keys.
  private(set) var held: [String: HeldString] = [:]

  init(_ data: [String: any Sendable]) {
    facts = data.compactMapValues(unwrapped).mapValues {
      Fact(isMissingSomewhere: false, writers: [.initial($0)])
    }
  }

  /// What is known of a name; `nil` where nothing is.
  subscript(name: String) -> Fact? {
    facts[name] ?? (hasClosedPath ? Fact(isMissingSomewhere: true, writers: []) : nil)
  }

  /// Whether nothing is known at all.
  var isBlank: Bool { facts.isEmpty && held.isEmpty && !hasClosedPath }

  /// Whether some path may have written the name.
  func mayHold(_ name: String) -> Bool {
    hasOpenPath || facts[name]?.writers.isEmpty == false
  }

  mutating func write(_ name: String, by writer: Writer) {
    held[name] = nil
    facts[name] = Fact(isMissingSomewhere: false, writers: [writer])
  }

  /// A step may write the name: it does, unless it is a group without items.
  ///
  /// A name that nothing else writes is the step's if it is there at all. Who has written any other is not known.
  mutating func mayWrite(_ name: String, by writer: Writer) {
    write(name, by: self[name]?.writers.isEmpty == true ? writer : .unknown)
  }

  /// A value is written where the name is missing.
  mutating func ensure(_ name: String, _ value: any Sendable, flow: String) {
    guard let fact = self[name] else {
      // Somebody may always have written it, so that the value is never needed.
      return write(name, by: .unknown)
    }
    guard fact.isMissingSomewhere else { return }
    held[name] = nil
    facts[name] = Fact(isMissingSomewhere: false, writers: fact.writers(with: [.initial(value, flow: flow)]))
  }

  /// The names that a step has written on some path.
  var namesWrittenBySteps: [String] {
    facts.filter { fact in
      fact.value.writers.contains { if case .step = $0 { true } else { false } }
    }.map(\.key)
  }

  /// A branch was taken, or not, for what a key holds.
  mutating func hold(_ string: HeldString, under key: String) {
    held[key] = string
    guard case .one = string else { return }
    let writers = (self[key]?.writers ?? []).filter { writer in
      switch writer {
      case .initial(let value, _): value is String
      case .step(_, let type?): !TypeFit.isImpossible(type, as: String.self)
      case .step(_, nil): true
      }
    }
    facts[key] = Fact(isMissingSomewhere: false, writers: writers.isEmpty ? [.unknown] : writers)
  }

  mutating func forgetStrings(except keys: Set<String>) {
    held = held.filter { keys.contains($0.key) }
  }

  mutating func forgetAll() {
    guard hasClosedPath || !facts.isEmpty || !held.isEmpty else { return }
    facts = [:]
    held = [:]
    hasClosedPath = false
    hasOpenPath = true
  }

  /// Takes over what one of several branches that run at once has changed.
  mutating func takeChanges(from start: KnownData, to end: KnownData) {
    for (name, fact) in end.facts {
      if let before = start[name], before.isSame(as: fact) { continue }
      held[name] = nil
      guard let other = facts[name], let before = start[name], !before.isSame(as: other) else {
        facts[name] = fact
        continue
      }
      facts[name] = Fact(
        isMissingSomewhere: other.isMissingSomewhere && fact.isMissingSomewhere,
        writers: other.writers(with: fact.writers))
    }
    hasClosedPath = hasClosedPath && end.hasClosedPath
    hasOpenPath = hasOpenPath || end.hasOpenPath
  }

  /// What is known where several paths meet: only what is so on all of them is certain.
  static func merging(_ branches: [KnownData]) -> KnownData? {
    guard var merged = branches.first else { return nil }
    for branch in branches.dropFirst() {
      merged.held = merged.held.filter { branch.held[$0.key] == $0.value }
      for name in Set(merged.facts.keys).union(branch.facts.keys) {
        guard let left = merged[name], let right = branch[name] else {
          // On one of the paths anything may stand there; that it is missing on the other is certain all the same.
          var fact = merged[name] ?? branch[name] ?? Fact(isMissingSomewhere: false, writers: [])
          fact.writers = fact.writers(with: [.unknown])
          merged.facts[name] = fact
          continue
        }
        merged.facts[name] = Fact(
          isMissingSomewhere: left.isMissingSomewhere || right.isMissingSomewhere,
          writers: left.writers(with: right.writers))
      }
      merged.hasClosedPath = merged.hasClosedPath || branch.hasClosedPath
      merged.hasOpenPath = merged.hasOpenPath || branch.hasOpenPath
    }
    return merged
  }

  /// What is known where several paths meet of which a later branch may tell some from others.
  ///
  /// Only what is so on all of them can be held against a step.
  static func blurring(_ paths: [KnownData]) -> KnownData? {
    guard var blurred = merging(paths) else { return nil }
    let isOpen = paths.contains(where: \.hasOpenPath)
    if isOpen { blurred.hasClosedPath = false }
    for name in blurred.facts.keys {
      let isNowhere = paths.allSatisfy { $0[name]?.isMissingSomewhere == true && $0[name]?.writers.isEmpty == true }
      if !isNowhere { blurred.facts[name] = Fact(isMissingSomewhere: false, writers: [.unknown]) }
    }
    return blurred
  }
}
