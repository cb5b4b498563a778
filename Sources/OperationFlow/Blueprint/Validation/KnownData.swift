/// What is known about the data bucket at one place of a flow, over all paths that lead there.
struct KnownData: Sendable {
  private var facts = FactTable()
  /// Whether some path that leads here has only known writes.
  private var hasClosedPath = true
  /// Whether on some path that leads here anything may have been written.
  private var hasOpenPath = false
  /// Whether it is within a step that has a condition of which nothing is known, so that any name may hold anything.
  private var isDoubted = false
  /// What the taken branches reveal about the values under their keys, in the order of the keys.
  private(set) var held: [HeldValue] = []
  /// The number of its path before the parallel branches that it is in; `nil` if that is forgotten.
  var number: Int?

  init(_ data: [String: any Sendable]) {
    for (name, value) in data { facts[name] = unwrapped(value).map { Fact(writers: [.initial($0)]) } }
  }

  /// `nil` if nothing is known about a name.
  subscript(name: String) -> Fact? {
    facts[name] ?? (hasClosedPath ? Fact(isMissingSomewhere: true, writers: []) : nil)
  }

  /// The value under a name, if it is certain to be the initial one.
  func initialValue(_ name: String) -> (any Sendable)? {
    guard let fact = self[name], !fact.isMissingSomewhere, fact.writers.count == 1,
      case .initial(let value, _) = fact.writers[0]
    else { return nil }
    return value
  }

  var isBlank: Bool { facts.isEmpty && held.isEmpty && !hasClosedPath }

  func mayHold(_ name: String) -> Bool { hasOpenPath || isDoubted || facts[name]?.writers.isEmpty == false }

  mutating func write(_ name: String, by writer: Writer) {
    forgetValue(of: name)
    facts[name] = Fact(writers: [writer])
  }

  /// Records that a group may write the name, if it has items; if nothing else writes it, its writer is known.
  mutating func mayWrite(_ name: String, by writer: Writer) {
    write(name, by: self[name]?.writers.isEmpty == true ? writer : writer.doubted)
  }

  /// Records that a value is written if the name is missing.
  mutating func ensure(_ name: String, _ value: any Sendable, flow: FlowPath) {
    guard let fact = self[name] else {
      // It may have been written on every path, so that the value is never needed.
      return write(name, by: .step(path: flow, type: nil))
    }
    guard fact.isMissingSomewhere else { return }
    forgetValue(of: name)
    facts[name] = Fact(writers: fact.writers + [.initial(value, flow: flow)])
  }

  /// Whether no later step can tell this path from another, except by what was written for certain.
  func isLike(_ other: KnownData, telling keys: Set<String>) -> Bool {
    held == other.held && number == other.number && hasOpenPath == other.hasOpenPath && isDoubted == other.isDoubted
      && keys.allSatisfy { mayHold($0) == other.mayHold($0) }
  }

  mutating func forgetAll() {
    number = nil
    guard hasClosedPath || !hasOpenPath || !facts.isEmpty || !held.isEmpty else { return }
    facts = FactTable()
    held = []
    hasClosedPath = false
    hasOpenPath = true
  }

  /// The same if any name may hold anything, because nothing is known about a condition that was met.
  var doubted: KnownData {
    var doubted = self
    doubted.facts = FactTable(facts.all.mapValues { Fact(writers: [.unknown] + $0.writers.map(\.doubted)) })
    doubted.hasClosedPath = false
    doubted.isDoubted = true
    return doubted
  }

  /// Leaves a step with conditions: a name that it didn't write is as it was before, which is given.
  mutating func leaveConditions(before: KnownData) {
    isDoubted = before.isDoubted
    if !hasOpenPath { hasClosedPath = before.hasClosedPath }
  }

  /// Assumes, where a closure's condition has skipped a step, that what the step writes is there, if it was on some path.
  ///
  /// The closure may look for just that, as for an answer that has come already.
  mutating func assumeWritten(by taken: KnownData, since before: KnownData) {
    for (name, written) in taken.facts.all where !written.isMissingSomewhere && !taken.keeps(name, since: before) {
      guard before.mayHold(name), let fact = self[name], fact.isMissingSomewhere else { continue }
      facts[name] = Fact(writers: fact.writers + [.unknown])
    }
  }

  mutating func share(among branchCount: Int) { facts.share(among: branchCount) }

  /// What is known in a branch, in which its condition is true, for each value that makes it so; empty if it can't be.
  func taking(_ condition: FlowCase) -> [KnownData] {
    guard let key = condition.key else { return [self] }
    guard mayHold(key) else { return [] }
    return condition.values.compactMap { value in
      var known = self
      guard known.hold(HeldValue(key: key, isKnown: true, values: [value])) else { return nil }
      known.assume(key, value.type, value.accepts)
      return known
    }
  }

  /// Records that a branch was not taken; false if that is impossible, so the path ends here.
  mutating func exclude(_ condition: FlowCase) -> Bool {
    condition.key.map { hold(HeldValue(key: $0, values: Set(condition.values))) } ?? true
  }

  private mutating func forgetValue(of key: String) { held = held.filter { $0.key != key } }

  /// Records that a key holds a value of a type, because a condition has found one.
  mutating func assume(_ key: String, _ type: Any.Type, _ accepts: (any Sendable) -> Bool) {
    let writers = (self[key]?.writers ?? []).filter { writer in
      switch writer {
      case .initial(let value, _): accepts(value)
      case .step(_, let written?): !TypeFit.isImpossible(written, as: type)
      case .step(_, nil): true
      }
    }
    facts[key] = Fact(writers: writers.isEmpty ? [.unknown] : writers)
  }

  /// Without what branches reveal about other keys.
  func remembering(_ keys: Set<String>) -> KnownData {
    var known = self
    known.held = held.filter { keys.contains($0.key) }
    return known
  }

  /// Whether a run can take a branch that runs at the same time as those that were added before.
  func allows(_ end: KnownData, keeping kept: Set<String>) -> Bool {
    var known = self
    return end.held.allSatisfy { !kept.contains($0.key) || known.hold($0) }
  }

  /// Adds what one of the branches that run at once has changed, and what it reveals of keys that no other one changes.
  mutating func take(
    _ end: KnownData, since start: KnownData, changing changed: Set<String>, telling told: Set<String>
  ) {
    for key in changed { forgetValue(of: key) }
    for value in end.held where told.contains(value.key) { _ = hold(value) }
    for (name, fact) in end.facts.differences(from: start.facts) {
      let before = start[name]
      if let before, before.isSame(as: fact) { continue }
      if let other = facts[name], let before, !before.isSame(as: other) {
        let isMissing = other.isMissingSomewhere && fact.isMissingSomewhere
        facts[name] = Fact(isMissingSomewhere: isMissing, writers: other.writers + fact.writers)
      } else {
        facts[name] = fact
      }
    }
    hasClosedPath = hasClosedPath && end.hasClosedPath
    hasOpenPath = hasOpenPath || end.hasOpenPath
  }

  /// Whether a key's value is the same as before, although more or less may be known of it.
  func keeps(_ key: String, since start: KnownData) -> Bool {
    let before = (start[key]?.writers ?? []) + [.unknown]
    return self[key]?.writers.allSatisfy { writer in before.contains { $0.owner == writer.owner } } ?? true
  }

  /// Adds what is revealed about the value under a key; false if that is impossible.
  private mutating func hold(_ value: HeldValue) -> Bool {
    let place = held.firstIndex { $0.key >= value.key } ?? held.count
    if place == held.count || held[place].key != value.key { held.insert(HeldValue(key: value.key), at: place) }
    let other = held[place]
    if value.isKnown && other.isKnown { return value == other }
    if value.isKnown { held[place] = value }
    if value.isKnown || other.isKnown { return value.values.isDisjoint(with: other.values) }
    held[place].values.formUnion(value.values)
    // If that was the last value that the key's type has, the key is missing, or holds another type.
    guard let some = value.values.first, some.isLast(of: held[place].values) else { return true }
    return !mustHold(some, under: value.key)
  }

  /// Records that a step that declares nothing may have written what was known, or what runs at the same time writes.
  mutating func forgetPath(andAll isAll: Bool) {
    if isAll { return forgetAll() }
    self = doubted
    number = nil
    held = []
    hasOpenPath = true
  }

  /// What is known when several paths meet: only what is true on all of them is certain.
  static func merging(_ paths: [KnownData]) -> KnownData? {
    guard var merged = paths.first, paths.count > 1 else { return paths.first }
    for path in paths.dropFirst() {
      merged.held = merged.held.filter { path.held.contains($0) }
      if merged.number != path.number { merged.number = nil }
      merged.hasClosedPath = merged.hasClosedPath || path.hasClosedPath
      merged.hasOpenPath = merged.hasOpenPath || path.hasOpenPath
      merged.isDoubted = merged.isDoubted || path.isDoubted
    }
    let (common, differences) = FactTable.aligned(paths.map(\.facts))
    var meetings = [String: Meeting]()
    for (path, facts) in zip(paths, differences) {
      for (name, fact) in facts {
        meetings[name, default: Meeting()].add(fact, isClosed: path.hasClosedPath)
      }
    }
    let closedCount = paths.count { $0.hasClosedPath }
    merged.facts = common
    for (name, var meeting) in meetings {
      if let fact = common[name], meeting.count < paths.count {
        // All other paths know this about the name.
        meeting.add(fact, isClosed: false)
        meeting.count = paths.count
        meeting.closedCount = closedCount
      }
      // Where nothing is known about the name, it is missing if every write is known, otherwise it may hold anything.
      if paths.count - closedCount > meeting.count - meeting.closedCount { meeting.fact.writers.append(.unknown) }
      merged.facts[name] = Fact(
        isMissingSomewhere: meeting.fact.isMissingSomewhere || closedCount > meeting.closedCount,
        writers: meeting.fact.writers)
    }
    return merged
  }

  /// What several paths know about a name, and how many these are.
  private struct Meeting {
    var fact = Fact(writers: [])
    var count = 0
    var closedCount = 0

    mutating func add(_ other: Fact, isClosed: Bool) {
      fact.isMissingSomewhere = fact.isMissingSomewhere || other.isMissingSomewhere
      fact.writers += other.writers
      count += 1
      if isClosed { closedCount += 1 }
    }
  }

  /// The same for paths that a later branch may distinguish: only what is true on all can be held against a step.
  static func blurring(_ paths: [KnownData]) -> KnownData? {
    guard var blurred = merging(paths) else { return nil }
    if blurred.hasOpenPath || blurred.isDoubted { blurred.hasClosedPath = false }
    // A name without a writer has none on any of the paths.
    blurred.facts = FactTable(blurred.facts.all.mapValues { $0.writers.isEmpty ? $0 : Fact(writers: [.unknown]) })
    return blurred
  }
}

/// What the taken branches reveal about the value under a key.
struct HeldValue: Sendable, Equatable {
  let key: String
  /// Whether it is the only one of the values; otherwise it is none of them, has another type, or isn't there.
  var isKnown = false
  var values: Set<CaseValue> = []
}
