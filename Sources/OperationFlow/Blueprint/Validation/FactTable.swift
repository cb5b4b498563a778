extension KnownData {
  /// The origin of a value under a name.
  indirect enum Writer: Sendable {
    /// The value was there at first, in the flow itself or in one that is a step.
    case initial(any Sendable, flow: FlowPath? = nil)
    case step(path: FlowPath, type: Any.Type?)

    static let unknown = Writer.step(path: "", type: nil)

    /// The same if nothing is known about what it has written.
    var doubted: Writer {
      switch self {
      case .initial: .unknown
      case .step(let path, _): .step(path: path, type: nil)
      }
    }

    /// Identifies a step, or initial data, by the step's number, because a path is as long as it is deep.
    var owner: Int {
      switch self {
      case .initial(_, let flow): 2 * (flow?.node ?? -1)
      case .step(let path, _): 2 * (path.node ?? -1) + 1
      }
    }

    /// The same with what is known about the value.
    var mark: Int { if case .step(_, nil) = self { 2 * owner } else { 2 * owner + 1 } }
  }

  struct Fact: Sendable {
    /// Whether there is a path on which nothing has written the name.
    var isMissingSomewhere: Bool
    /// Everything that may have written it last, in the order of the steps.
    var writers: [Writer]

    /// Writers are kept once each, because they would double with every branch.
    init(isMissingSomewhere: Bool = false, writers: [Writer]) {
      self.isMissingSomewhere = isMissingSomewhere
      self.writers = writers
      if writers.count < 2 { return }
      var last: Int?
      self.writers = writers.sorted { $0.mark < $1.mark }.filter { writer in
        defer { last = writer.mark }
        return writer.mark != last
      }
    }

    func isSame(as other: Fact) -> Bool {
      isMissingSomewhere == other.isMissingSomewhere && writers.map(\.mark) == other.writers.map(\.mark)
    }
  }
}

/// What is known about each name, in two layers, so that a branch costs what it changes, and not what was known before.
struct FactTable: Sendable {
  private final class Layer: Sendable {
    let facts: [String: KnownData.Fact]

    init(_ facts: [String: KnownData.Fact]) { self.facts = facts }
  }

  private var shared: Layer?
  private var changes: [String: KnownData.Fact]

  init(_ facts: [String: KnownData.Fact] = .init()) { changes = facts }

  var isEmpty: Bool { changes.isEmpty && shared == nil }

  var all: [String: KnownData.Fact] {
    get { shared.map { $0.facts.merging(changes) { $1 } } ?? changes }
  }

  subscript(name: String) -> KnownData.Fact? {
    get { changes[name] ?? shared?.facts[name] }
    set { changes[name] = newValue }
  }

  /// Gets ready for copies that are changed, if moving the changes costs less than copying them.
  mutating func share(among copyCount: Int) {
    // They have been copied wherever paths have parted since they were moved last, which is as often as there are changes.
    guard changes.count * changes.count * (copyCount - 1) > shared?.facts.count ?? 0 else { return }
    shared = Layer(all)
    changes = .init()
  }

  /// The names about which another table may know other things, with what this one knows.
  func differences(from other: FactTable) -> [String: KnownData.Fact] { shared === other.shared ? changes : all }

  /// What tables have in common for certain, and what each of them knows besides.
  static func aligned(_ tables: [FactTable]) -> (common: FactTable, differences: [[String: KnownData.Fact]]) {
    var common = FactTable()
    if let shared = tables.first?.shared, tables.allSatisfy({ $0.shared === shared }) { common.shared = shared }
    return (common, tables.map { $0.differences(from: common) })
  }
}
