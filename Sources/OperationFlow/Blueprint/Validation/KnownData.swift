/// The knowledge about the data bucket at one place of a flow: one entry for each key, joined where paths meet.
///
/// Where paths part, this value follows one path at a time, and is then restored to its state at the fork. So the cost
/// of a branch depends on the number of its changes, and not on the number of known keys.
struct KnownData: Sendable {
  /// The knowledge about a key, with the time at which it was found.
  private struct Entry: Sendable {
    var known: KnownKey
    let time: Int
  }

  /// The knowledge about the place itself.
  private struct Place: Sendable {
    /// False if no path leads here.
    var isReachable = true
    /// True if a run is certain to get here with some values of the keys that conditions compare.
    var isSure = true
    /// True if the values of several keys depend on each other in a way that isn't tracked.
    var isBlurred = false
    /// True if a step that declares nothing may have written any name.
    var isOpen = false
    /// The time of the last step that may have written anything: older entries are invalid.
    var forgotten = 0
  }

  /// The end of one of the paths that part at a place.
  private struct End: Sendable {
    var changes: [String: KnownKey] = [:]
    var place: Place
    /// True if a step on the path may have written anything.
    var isForgotten = false
  }

  /// A place where paths part.
  private struct Fork: Sendable {
    let place: Place
    let changed: [String: Entry?]
    var ends: [End] = []
    /// True if a path changes something and no run reaches its end; a run may still have ended early on that path.
    var hasDeadEnds = false
  }

  private var entries: [String: Entry] = [:]
  private var place = Place()
  /// The entries that have changed since the last fork, with their values at the fork.
  private var changed: [String: Entry?] = [:]
  private var forks: [Fork] = []
  private var time = 0

  init(_ data: [String: any Sendable] = [:]) {
    for (name, value) in data {
      if let value = unwrapped(value) { self[name] = KnownKey(writtenBy: .initial(value, flow: nil)) }
    }
  }

  var isReachable: Bool { place.isReachable }
  var isSure: Bool { place.isSure }

  private(set) subscript(name: String) -> KnownKey {
    get {
      guard let entry = entries[name], entry.time >= place.forgotten else {
        return place.isOpen ? .unknown : KnownKey()
      }
      return entry.known
    }
    set {
      if !forks.isEmpty, changed[name] == nil { changed[name] = .some(entries[name]) }
      entries[name] = Entry(known: newValue, time: time)
    }
  }

  // MARK: Writes

  mutating func write(_ name: String, by writer: KnownKey.Writer) { self[name] = KnownKey(writtenBy: writer) }

  /// Records a write that may not happen, because the step has no items or recovers from an earlier error.
  mutating func mayWrite(_ name: String, by writer: KnownKey.Writer) {
    var known = self[name]
    known.writers = known.writers.united(with: [writer])
    known.hasGap = false
    known.values = .any
    self[name] = known
  }

  /// Records that a value is written if the name is missing.
  mutating func ensure(_ name: String, _ value: any Sendable, flow: Blueprint.StepID) {
    guard !self[name].isCertain else { return }
    mayWrite(name, by: .initial(value, flow: flow))
    self[name].isCertain = true
  }

  /// Records that a step may have written or removed anything.
  mutating func forgetAll() {
    time += 1
    place.forgotten = time
    place.isOpen = true
    place.isBlurred = false
  }

  // MARK: Conditions

  /// Continues on the path on which a key has one of a condition's values.
  mutating func assume(_ condition: FlowCase) {
    guard let key = condition.key, let value = condition.values.first else { return }
    let before = self[key]
    let isSure = before.isCertain && before.writers.allSatisfy { $0.fits(value) } && !place.isBlurred
    assume(key, value.type, value.accepts)
    self[key].values.formIntersection(.only(condition.values))
    if self[key].values.isEmpty { place.isReachable = false }
    if !isSure { place.isSure = false }
  }

  /// Continues on the path on which a step's condition is met; a closure may check for the values that its step needs.
  mutating func assume(_ condition: StepCondition) {
    if let flowCase = condition.flowCase { return assume(flowCase) }
    place.isSure = false
    if let input = condition.input { assume(input.name, input.type ?? Any.self, input.accepts) }
  }

  private mutating func assume(_ key: String, _ type: Any.Type, _ accepts: (any Sendable) -> Bool) {
    self[key].writers.removeAll { $0.mismatch(type, accepts) != nil }
    if self[key].writers.isEmpty { place.isReachable = false }
    self[key].isCertain = true
    self[key].hasGap = false
  }

  /// Continues on the path on which none of some conditions is met.
  mutating func exclude(_ conditions: [FlowCase]) {
    for (key, left) in valuesLeft(by: conditions) {
      if self[key].isExhausted(leaving: left) { place.isReachable = false }
      self[key].values = left
      let hasOthers = left.isOnly || left.values.first?.hasOthers(than: left.values) ?? true
      if place.isBlurred || !hasOthers { place.isSure = false }
    }
  }

  /// Returns true if one of the conditions is certain to be met, because they cover all values that a key can have.
  func mustMeet(oneOf conditions: [FlowCase]) -> Bool {
    valuesLeft(by: conditions).contains { key, left in self[key].isExhausted(leaving: left) }
  }

  /// Returns the values that are possible for the conditions' keys if none of the conditions is met.
  private func valuesLeft(by conditions: [FlowCase]) -> [String: ValueSet] {
    var compared: [String: [CaseValue]] = [:]
    for condition in conditions { if let key = condition.key { compared[key, default: []] += condition.values } }
    return compared.reduce(into: [:]) { left, compared in
      let known = self[compared.key]
      if known.writers.isEmpty { return }
      left[compared.key] = known.values
      left[compared.key]?.formIntersection(.allBut(compared.value))
    }
  }

  /// Records that several keys decide which path is chosen, so that their values depend on each other.
  mutating func blur() { place.isBlurred = true }

  // MARK: Paths

  /// Begins the first of the paths that part here.
  mutating func fork() { forks.append(Fork(place: place, changed: exchange(&changed, with: [:]))) }

  /// Removes the last fork, as if no paths had parted there.
  mutating func forgetFork() {
    let changes = changed
    if leaveFork() != nil { changed.merge(changes) { earlier, _ in earlier } }
  }

  /// Removes the last fork; its dead ends also count for the fork around it.
  private mutating func leaveFork() -> Fork? {
    guard let fork = forks.popLast() else { return nil }
    changed = fork.changed
    if fork.hasDeadEnds, let outer = forks.indices.last { forks[outer].hasDeadEnds = true }
    return fork
  }

  /// Ends a path, and returns to the fork for the next path.
  mutating func endPath() {
    guard let last = forks.indices.last else { return }
    var end = End(place: place)
    let start = forks[last].place
    end.isForgotten = place.forgotten > start.forgotten
    if place.isReachable {
      for name in changed.keys { end.changes[name] = self[name] }
      forks[last].ends.append(end)
    } else if !changed.isEmpty || end.isForgotten {
      forks[last].hasDeadEnds = true
    }
    for (name, entry) in changed { entries[name] = entry }
    changed = [:]
    place = start
  }

  /// Joins paths of which a run follows one; the keys are those that decide which path it is.
  mutating func join(partedBy keys: Set<String>, mayHaveEnded: Bool = false) {
    guard let fork = leaveFork() else { return }
    if fork.ends.isEmpty { place.isReachable = false }
    if fork.ends.isEmpty { return }
    let isForgotten = fork.ends.contains(where: \.isForgotten)
    var meetings: [String: (known: KnownKey, count: Int, isSame: Bool)] = [:]
    for end in fork.ends {
      for (name, known) in end.changes {
        guard var meeting = meetings.removeValue(forKey: name) else {
          meetings[name] = (known, 1, true)
          continue
        }
        meeting.isSame = meeting.isSame && meeting.known.values == known.values
        meeting.known.meet(known)
        meeting.count += 1
        meetings[name] = meeting
      }
    }
    var (differentCount, isWider) = (0, mayHaveEnded)
    let before = meetings.keys.reduce(into: [String: KnownKey]()) { $0[$1] = self[$1] }
    leave(fork)
    for (name, before) in before {
      guard var meeting = meetings[name] else { continue }
      if meeting.count < fork.ends.count {
        meeting.isSame = meeting.isSame && meeting.known.values == before.values
        meeting.known.meet(isForgotten ? .unknown : before)
        meetings[name] = meeting
      }
      if !meeting.isSame {
        differentCount += 1
        isWider = isWider || meeting.known.values != before.values
      }
    }
    let values = keys.reduce(into: [String: ValueSet]()) { $0[$1] = meetings[$1]?.known.values ?? self[$1].values }
    for (name, meeting) in meetings {
      self[name] = meeting.known
      if fork.ends.count > 1 { self[name].partedBy.merge(values) { own, _ in own } }
    }
    if differentCount > 1, isWider { place.isBlurred = true }
    place.isSure = fork.ends.contains { $0.place.isSure }
  }

  /// Joins paths that a run follows at the same time.
  mutating func joinAll() {
    guard let fork = leaveFork() else { return }
    var met: [String: (known: KnownKey, place: Int)] = [:]
    let forgetting = fork.ends.indices.filter { fork.ends[$0].isForgotten }
    for (index, end) in fork.ends.enumerated() {
      for (name, known) in end.changes {
        guard let other = met[name]?.known else {
          met[name] = (known, index)
          continue
        }
        var both = other
        both.meet(known)
        both.isCertain = other.isCertain || known.isCertain
        both.hasGap = other.hasGap && known.hasGap
        both.values = .any
        met[name] = (both, -1)
      }
    }
    leave(fork)
    for (name, (known, index)) in met {
      self[name] = forgetting.contains { $0 != index } ? .unknown : known
    }
    place.isSure = place.isSure && fork.ends.allSatisfy(\.place.isSure)
  }

  /// Updates the place after a fork: if one path may have written anything, the data is unknown after all paths.
  private mutating func leave(_ fork: Fork) {
    time += 1
    place.isOpen = fork.ends.contains(where: \.place.isOpen)
    place.isBlurred = fork.ends.contains(where: \.place.isBlurred)
    if fork.ends.contains(where: \.isForgotten) { place.forgotten = time }
  }

  /// Continues at the end of a block that may have ended early since the fork: later changes are uncertain.
  mutating func joinEarlyEnds() {
    guard let fork = leaveFork() else { return }
    // The run ends early only for some values, which isn't tracked.
    defer { place.isBlurred = true }
    if fork.hasDeadEnds { return forgetAll() }
    if fork.ends.isEmpty { return }
    leave(fork)
    for end in fork.ends {
      for (name, known) in end.changes {
        let before = self[name]
        var both = before
        both.meet(known)
        // Between the fork and the end, the key may have had another value.
        if known.writers != before.writers {
          both.values = .any
          both.writers = both.writers.united(with: [.unknown])
        }
        self[name] = both
      }
    }
  }
}

extension KnownData {
  mutating func write(_ output: StepPort, by step: Blueprint.StepID) { write(output.name, by: .writer(output, step)) }

  mutating func mayWrite(_ output: StepPort, by step: Blueprint.StepID) {
    mayWrite(output.name, by: .writer(output, step))
  }
}

extension KnownKey.Writer {
  fileprivate static func writer(_ output: StepPort, _ step: Blueprint.StepID) -> KnownKey.Writer {
    output.type.map { .step(step, $0) } ?? .unknown
  }
}
