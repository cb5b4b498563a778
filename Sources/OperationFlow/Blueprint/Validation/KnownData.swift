/// What is known about the data bucket at one place of a flow, over all paths that lead there.
///
/// A step that declares no outputs may write, overwrite and remove anything: nothing is known after it.
struct KnownData: Sendable {
  /// The origin of a value under a name.
  enum Writer: Sendable {
    /// The value was there at first, in the flow itself or in one that is a step.
    case initial(any Sendable, flow: FlowPath? = nil)
    /// A step writes the value, with a type that may not be known.
    case step(path: FlowPath, type: Any.Type?)

    /// A step about which nothing is known.
    static let unknown = Writer.step(path: "", type: nil)

    /// The same writer if nothing is known about what it has written.
    fileprivate var doubted: Writer {
      switch self {
      case .initial: .unknown
      case .step(let path, _): .step(path: path, type: nil)
      }
    }

    /// Identifies a writer by the step's number, because a path is as long as it is deep.
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
    /// Everything that may have written it last, each once: otherwise they would double with every branch.
    var writers: [Writer]

    fileprivate func isSame(as other: Fact) -> Bool {
      isMissingSomewhere == other.isMissingSomewhere && marks == other.marks
    }

    /// The order of the writers depends on which paths met first.
    fileprivate var marks: Set<Writer.Mark> { Set(writers.map(\.mark)) }

    fileprivate func writers(with others: [Writer]) -> [Writer] {
      var union = WriterUnion(writers)
      union.add(others)
      return union.writers
    }
  }

  /// A list of writers that contains each one once.
  private struct WriterUnion {
    private(set) var writers: [Writer]
    private var marks: Set<Writer.Mark>

    init(_ writers: [Writer]) {
      self.writers = writers
      marks = Set(writers.map(\.mark))
    }

    @inline(never)
    mutating func add(_ others: [Writer]) {
      for other in others where marks.insert(other.mark).inserted { writers.append(other) }
    }
  }

  private var facts = FactTable()
  /// Whether some path that leads here has only known writes.
  private var hasClosedPath = true
  /// Whether on some path that leads here anything may have been written.
  private(set) var hasOpenPath = false
  /// What the taken branches reveal about the values under their keys.
  private(set) var held: [String: HeldValue] = [:]

  init(_ data: [String: any Sendable]) {
    facts = FactTable(
      data.compactMapValues(unwrapped).mapValues { Fact(isMissingSomewhere: false, writers: [.initial($0)]) })
  }

  /// What is known about a name; `nil` if nothing is known.
  subscript(name: String) -> Fact? {
    facts[name] ?? (hasClosedPath ? Fact(isMissingSomewhere: true, writers: []) : nil)
  }

  /// Whether nothing is known at all.
  var isBlank: Bool { facts.isEmpty && held.isEmpty && !hasClosedPath }

  /// Whether some path may have written the name.
  func mayHold(_ name: String) -> Bool {
    hasOpenPath || facts[name]?.writers.isEmpty == false
  }

  @inline(never)
  mutating func write(_ name: String, by writer: Writer) {
    held[name] = nil
    facts[name] = Fact(isMissingSomewhere: false, writers: [writer])
  }

  /// Records that a step may write the name, which it does unless it is a group without items.
  ///
  /// If nothing else writes the name and it is there at all, the step wrote it. Otherwise the writer isn't known.
  mutating func mayWrite(_ name: String, by writer: Writer) {
    write(name, by: self[name]?.writers.isEmpty == true ? writer : .unknown)
  }

  /// Records that a value is written if the name is missing.
  mutating func ensure(_ name: String, _ value: any Sendable, flow: FlowPath) {
    guard let fact = self[name] else {
      // It may have been written on every path, so that the value is never needed.
      return write(name, by: .unknown)
    }
    guard fact.isMissingSomewhere else { return }
    held[name] = nil
    facts[name] = Fact(isMissingSomewhere: false, writers: fact.writers(with: [.initial(value, flow: flow)]))
  }

  /// The names that a known step has written on some path since a place before.
  func namesWrittenBySteps(since start: KnownData) -> [String] {
    facts.differences(from: start.facts).filter { name, fact in
      let before = start[name]?.marks ?? []
      return fact.marks.contains { $0.step != nil && !$0.isInitial && !before.contains($0) }
    }.map(\.key)
  }

  /// Gets ready for branches that begin here.
  mutating func share(among branchCount: Int) { facts.share(among: branchCount) }

  /// Records that a key doesn't hold a value; false if it does, so the path ends here.
  @inline(never)
  mutating func exclude(_ value: CaseValue, under key: String) -> Bool {
    switch held[key] {
    case .one(let known)?: return known != value
    case .none(var others)?:
      // Taken out first, because otherwise the set would be copied.
      held[key] = nil
      others.insert(value)
      held[key] = HeldValue.none(of: others)
    case nil: held[key] = HeldValue.none(of: [value])
    }
    return true
  }

  /// Records that a branch was taken, so its key holds its value.
  mutating func hold(_ value: HeldValue, under key: String) {
    held[key] = value
    if case .one(let value) = value { assume(key, value.type, value.accepts) }
  }

  /// Records that a key holds a value of a type, because a condition has found one.
  mutating func assume(_ input: InputPort) { assume(input.name, input.type ?? Any.self, input.accepts) }

  @inline(never)
  private mutating func assume(_ key: String, _ type: Any.Type, _ accepts: (any Sendable) -> Bool) {
    let writers = (self[key]?.writers ?? []).filter { writer in
      switch writer {
      case .initial(let value, _): accepts(value)
      case .step(_, let written?): !TypeFit.isImpossible(written, as: type)
      case .step(_, nil): true
      }
    }
    facts[key] = Fact(isMissingSomewhere: false, writers: writers.isEmpty ? [.unknown] : writers)
  }

  /// Records that any name may hold anything, because nothing is known about a condition that was met.
  mutating func doubtAll() {
    facts = FactTable(
      facts.all.mapValues { fact in
        var doubted = WriterUnion([.unknown])
        doubted.add(fact.writers.map(\.doubted))
        return Fact(isMissingSomewhere: false, writers: doubted.writers)
      })
    hasClosedPath = false
    hasOpenPath = true
  }

  mutating func forgetValues(except keys: Set<String>) {
    held = held.filter { keys.contains($0.key) }
  }

  @inline(never)
  mutating func forgetAll() {
    guard hasClosedPath || !facts.isEmpty || !held.isEmpty else { return }
    facts = FactTable()
    held = [:]
    hasClosedPath = false
    hasOpenPath = true
  }

  /// Adds the changes of one of several branches that run at the same time.
  mutating func takeChanges(from start: KnownData, to end: KnownData) {
    for (name, fact) in end.facts.differences(from: start.facts) {
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

  /// What is known when several paths meet: only what is true on all of them is certain.
  static func merging(_ paths: [KnownData]) -> KnownData? {
    guard var merged = paths.first else { return nil }
    guard paths.count > 1 else { return merged }
    for path in paths.dropFirst() {
      merged.held = merged.held.filter { path.held[$0.key] == $0.value }
      merged.hasClosedPath = merged.hasClosedPath || path.hasClosedPath
      merged.hasOpenPath = merged.hasOpenPath || path.hasOpenPath
    }
    let (common, differences) = FactTable.aligned(paths.map(\.facts))
    var found: [String: MergedFact] = [:]
    for (path, facts) in zip(paths, differences) {
      for (name, fact) in facts { found[name, default: MergedFact()].add(fact, isClosed: path.hasClosedPath) }
    }
    let closedCount = paths.count { $0.hasClosedPath }
    merged.facts = common
    for (name, var meeting) in found {
      if let fact = common[name] { meeting.addToRest(fact, ofPaths: paths.count, closed: closedCount) }
      merged.facts[name] = meeting.fact(ofPaths: paths.count, closed: closedCount)
    }
    return merged
  }

  /// What several paths know about one name.
  private struct MergedFact {
    private var isMissingSomewhere = false
    private var union = WriterUnion([])
    private var count = 0
    private var closedCount = 0

    @inline(never)
    mutating func add(_ fact: Fact, isClosed: Bool) {
      isMissingSomewhere = isMissingSomewhere || fact.isMissingSomewhere
      union.add(fact.writers)
      count += 1
      if isClosed { closedCount += 1 }
    }

    /// Adds what all other paths know about the name.
    mutating func addToRest(_ fact: Fact, ofPaths pathCount: Int, closed: Int) {
      guard count < pathCount else { return }
      add(fact, isClosed: false)
      (count, closedCount) = (pathCount, closed)
    }

    /// Paths that know nothing about the name count too: it is missing if every write is known, otherwise it may hold
    /// anything.
    func fact(ofPaths pathCount: Int, closed: Int) -> Fact {
      var union = union
      if pathCount - closed > count - closedCount { union.add([.unknown]) }
      return Fact(isMissingSomewhere: isMissingSomewhere || closed > closedCount, writers: union.writers)
    }
  }

  /// What is known when several paths meet that a later branch may distinguish.
  ///
  /// Only what is true on all of them can be held against a step.
  static func blurring(_ paths: [KnownData]) -> KnownData? {
    guard var blurred = merging(paths) else { return nil }
    if paths.contains(where: \.hasOpenPath) { blurred.hasClosedPath = false }
    // A name without a writer has none on any of the paths.
    blurred.facts = FactTable(
      blurred.facts.all.mapValues { fact in
        fact.writers.isEmpty ? fact : Fact(isMissingSomewhere: false, writers: [.unknown])
      })
    return blurred
  }
}
