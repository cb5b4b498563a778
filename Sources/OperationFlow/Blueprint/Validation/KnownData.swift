/// What is known of the data bucket at one place of a flow, over all paths that lead there.
///
/// A step that declares no output may write, overwrite and remove anything: after it nothing is known any more.
struct KnownData: Sendable {
  /// Who has written a name.
  enum Writer: Sendable {
    /// It was there at first, with this value, in the flow itself or in one that is a step.
    case initial(any Sendable, flow: FlowPath? = nil)
    /// A step writes it, as a type that may not be known.
    case step(path: FlowPath, type: Any.Type?)

    /// A step of which nothing is known.
    static let unknown = Writer.step(path: "", type: nil)

    /// What tells it from others: the step's number, for a path is as long as it is deep.
    fileprivate struct Mark: Hashable {
      let isInitial: Bool
      let step: Int?
      let type: ObjectIdentifier?
    }

    fileprivate var mark: Mark {
      switch self {
      case .initial(_, let flow): Mark(isInitial: true, step: flow?.node, type: nil)
      case .step(let path, let type): Mark(isInitial: false, step: path.node, type: type.map(ObjectIdentifier.init))
      }
    }
  }

  struct Fact: Sendable {
    /// Whether there is a path on which nothing has written the name.
    var isMissingSomewhere: Bool
    /// All that may have written it last, each once: branch by branch they would double.
    var writers: [Writer]

    fileprivate func isSame(as other: Fact) -> Bool {
      isMissingSomewhere == other.isMissingSomewhere && writers.map(\.mark) == other.writers.map(\.mark)
    }

    fileprivate func writers(with others: [Writer]) -> [Writer] {
      var union = WriterUnion(writers)
      union.add(others)
      return union.writers
    }
  }

  /// Writers, each once.
  private struct WriterUnion {
    private(set) var writers: [Writer]
    private var marks: Set<Writer.Mark>

    init(_ writers: [Writer]) {
      self.writers = writers
      marks = Set(writers.map(\.mark))
    }

    mutating func add(_ others: [Writer]) {
      for other in others where marks.insert(other.mark).inserted { writers.append(other) }
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

  /// What is known of a name; `nil` if nothing is.
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

  /// A value is written if the name is missing.
  mutating func ensure(_ name: String, _ value: any Sendable, flow: FlowPath) {
    guard let fact = self[name] else {
      // It may have been written on every path, so that the value is never needed.
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

  /// A branch was not taken, whose key does not hold its string; false where it does, so that no such path leads on.
  mutating func exclude(_ value: String, under key: String) -> Bool {
    switch held[key] {
    case .one(let known)?: return known != value
    case .none(var others)?:
      // Taken out, for else the set would be copied.
      held[key] = nil
      others.insert(value)
      held[key] = HeldString.none(of: others)
    case nil: held[key] = HeldString.none(of: [value])
    }
    return true
  }

  /// A branch was taken for what a key holds.
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
  static func merging(_ paths: [KnownData]) -> KnownData? {
    guard var merged = paths.first else { return nil }
    guard paths.count > 1 else { return merged }
    for path in paths.dropFirst() {
      merged.held = merged.held.filter { path.held[$0.key] == $0.value }
      merged.hasClosedPath = merged.hasClosedPath || path.hasClosedPath
      merged.hasOpenPath = merged.hasOpenPath || path.hasOpenPath
    }
    var found: [String: Meeting] = [:]
    for path in paths {
      for (name, fact) in path.facts { found[name, default: Meeting()].add(fact, isClosed: path.hasClosedPath) }
    }
    let closedCount = paths.count { $0.hasClosedPath }
    merged.facts = found.mapValues { $0.fact(ofPaths: paths.count, closed: closedCount) }
    return merged
  }

  /// What several paths know of one name.
  private struct Meeting {
    private var isMissingSomewhere = false
    private var union = WriterUnion([])
    private var count = 0
    private var closedCount = 0

    mutating func add(_ fact: Fact, isClosed: Bool) {
      isMissingSomewhere = isMissingSomewhere || fact.isMissingSomewhere
      union.add(fact.writers)
      count += 1
      if isClosed { closedCount += 1 }
    }

    /// The paths that know nothing of the name count as well: it is missing where every write is known, and anything may
    /// stand there elsewhere.
    func fact(ofPaths pathCount: Int, closed: Int) -> Fact {
      var union = union
      if pathCount - closed > count - closedCount { union.add([.unknown]) }
      return Fact(isMissingSomewhere: isMissingSomewhere || closed > closedCount, writers: union.writers)
    }
  }

  /// What is known where several paths meet of which a later branch may tell some from others.
  ///
  /// Only what is so on all of them can be held against a step.
  static func blurring(_ paths: [KnownData]) -> KnownData? {
    guard var blurred = merging(paths) else { return nil }
    if paths.contains(where: \.hasOpenPath) { blurred.hasClosedPath = false }
    // A name without a writer has none on any of the paths.
    blurred.facts = blurred.facts.mapValues { fact in
      fact.writers.isEmpty ? fact : Fact(isMissingSomewhere: false, writers: [.unknown])
    }
    return blurred
  }
}
