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
