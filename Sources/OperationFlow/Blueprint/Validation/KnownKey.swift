/// The knowledge about one key at a place of a flow, over all paths that lead there.
struct KnownKey: Sendable {
  /// True if the key is written on every path; otherwise it may be missing.
  var isCertain = false
  /// The steps and the data that may have written it last; empty if nothing has written it on any path.
  var writers: [Writer] = []
  /// True if there is a path on which no known writer writes the key.
  var hasGap = true
  /// The keys that decide between paths with different last writers of this key, with their values where the paths met.
  var partedBy: [String: ValueSet] = [:]
  /// The values that the conditions around the place allow for the key.
  var values = ValueSet.any

  /// The knowledge after a step that may have written or removed anything.
  static let unknown = KnownKey(writers: [.unknown], hasGap: false)

  init(isCertain: Bool = false, writers: [Writer] = [], hasGap: Bool = true) {
    self.isCertain = isCertain
    self.writers = writers
    self.hasGap = hasGap
  }

  /// The knowledge after a write.
  init(writtenBy writer: Writer) { self.init(isCertain: true, writers: [writer], hasGap: false) }

  /// The value, if it is certain to be an initial one.
  var initialValue: (any Sendable)? {
    guard isCertain, writers.count == 1, case .initial(let value, _) = writers[0] else { return nil }
    return value
  }

  /// Adds the knowledge of another path that leads to the same place.
  mutating func meet(_ other: KnownKey) {
    isCertain = isCertain && other.isCertain
    hasGap = hasGap || other.hasGap
    partedBy.merge(other.partedBy) { own, _ in own }
    values.formUnion(other.values)
    writers = writers.united(with: other.writers)
  }

  /// Returns the reason why the key never has a value of a type, whichever writer was last; `nil` if it may have one.
  func mismatch(_ type: Any.Type, _ accepts: (any Sendable) -> Bool) -> KnownKey.Mismatch? {
    let found = writers.compactMap { $0.mismatch(type, accepts) }
    return found.count == writers.count ? found.first : nil
  }

  /// Returns true if the key is certain to have a value of the case's type; an unknown writer is assumed to write one.
  func mustHold(_ value: CaseValue) -> Bool {
    if case .unknown? = writers.first, writers.count == 1 { return true }
    return isCertain && !writers.contains { $0.mismatch(value.type, value.accepts) != nil }
  }

  /// Returns true if conditions leave no possible value of the key, as far as all its possible values are known.
  func isExhausted(leaving left: ValueSet) -> Bool {
    if left.isEmpty { return true }
    guard !left.isOnly, let value = left.values.first else { return false }
    return value.isLast(of: left.values) && mustHold(value)
  }
}

extension KnownKey {
  /// The origin of a value.
  enum Writer: Sendable {
    /// The initial data of a run, or of a flow that is a step.
    case initial(any Sendable, flow: Blueprint.StepID?)
    /// A step, with the type that it declares.
    case step(Blueprint.StepID, Any.Type)
    /// A step that declares nothing.
    case unknown

    /// A number that identifies the writer, in the order of the steps.
    fileprivate var order: Int {
      switch self {
      case .unknown: -2
      case .initial(_, let flow): flow.map { 2 * $0 } ?? -1
      case .step(let step, _): 2 * step + 1
      }
    }

    /// Returns the mismatch between the written value and the type of a reader; `nil` if they may fit.
    func mismatch(_ read: Any.Type, _ accepts: (any Sendable) -> Bool) -> Mismatch? {
      switch self {
      case .initial(let value, _): accepts(value) ? nil : .initial(foundType(of: value).name)
      case .step(let step, let type): TypeFit.isImpossible(type, as: read) ? .step(step, type) : nil
      case .unknown: nil
      }
    }

    /// Returns true if every value of the writer has exactly the type of the given value.
    func fits(_ value: CaseValue) -> Bool {
      switch self {
      case .initial(let found, _): value.accepts(found)
      case .step(_, let type): type == value.type
      case .unknown: false
      }
    }
  }

  /// A value that its reader can't accept.
  enum Mismatch {
    case initial(String)
    case step(Blueprint.StepID, Any.Type)
  }
}

extension KnownKey.Writer {
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

extension KnownKey.Writer: Equatable {
  static func == (one: Self, other: Self) -> Bool { one.order == other.order }
}

extension [KnownKey.Writer] {
  /// The largest number of different writers of a key; if there are more, the writer is unknown.
  private static let limit = 8

  func united(with others: [KnownKey.Writer]) -> [KnownKey.Writer] {
    let new = others.filter { !contains($0) }
    if new.isEmpty { return self }
    return count + new.count > Self.limit ? [.unknown] : (self + new).sorted { $0.order < $1.order }
  }
}

/// The possible values of a key, as far as conditions have compared it.
struct ValueSet: Sendable, Equatable {
  static let any = ValueSet(isOnly: false, values: [])

  /// True if the key has one of the values; otherwise it has none of them, has another type, or is missing.
  private(set) var isOnly: Bool
  private(set) var values: Set<CaseValue>

  static func only(_ values: [CaseValue]) -> ValueSet { ValueSet(isOnly: true, values: Set(values)) }
  static func allBut(_ values: [CaseValue]) -> ValueSet { ValueSet(isOnly: false, values: Set(values)) }

  var isEmpty: Bool { isOnly && values.isEmpty }

  /// Returns true if all values of the set are in another one, and the sets aren't equal.
  func isNarrower(than other: ValueSet) -> Bool {
    var both = other
    both.formUnion(self)
    return self != other && both == other
  }

  mutating func formUnion(_ other: ValueSet) {
    switch (isOnly, other.isOnly) {
    case (true, true): values.formUnion(other.values)
    case (false, false): values.formIntersection(other.values)
    case (false, true): values.subtract(other.values)
    case (true, false): self = ValueSet(isOnly: false, values: other.values.subtracting(values))
    }
  }

  mutating func formIntersection(_ other: ValueSet) {
    switch (isOnly, other.isOnly) {
    case (true, true): values.formIntersection(other.values)
    case (false, false): values.formUnion(other.values)
    case (true, false): values.subtract(other.values)
    case (false, true): self = ValueSet(isOnly: true, values: other.values.subtracting(values))
    }
  }
}
