import Foundation

/// The groups of a run whose items have no lines of their own in a summary, because there are too many of them.
///
/// Instead, the group has lines with the counts, the slowest items, the retried items, and the failed items.
final class FoldedGroups {
  /// The largest number of items that have lines of their own.
  static let itemLimit = 20
  /// The largest numbers of items that are listed as the slowest, and as retried.
  private static let slowestCount = 3
  private static let retriedCount = 10

  fileprivate struct Item {
    var began: Date?
    var duration: TimeInterval?
    var attempts = 1
    /// The name of the item, which may be the group's.
    var name = ""
  }

  fileprivate struct Group {
    var items: [Int: Item] = [:]
    var isListed = false
  }

  private let record: FlowRecord
  private var groups: [Int: Group] = [:]

  init(_ record: FlowRecord) {
    self.record = record
    var found: [Int: Group] = [:]
    for event in record.events {
      guard let step = event.step, let index = event.source.item else { continue }
      found[step, default: Group()].note(event, of: index)
    }
    groups = found.filter { step, group in
      let items = record.step(step)?.items
      return max(group.items.count, items?.total ?? 0, (items?.succeeded ?? 0) + (items?.failed ?? 0)) > Self.itemLimit
    }
  }

  /// Returns true for an event about an item of a folded group, unless it is a warning or a logged error.
  func hides(_ event: FlowEvent) -> Bool {
    guard event.source.item != nil, let step = event.step, groups[step] != nil else { return false }
    switch event.kind {
    case .warned, .logged(_, .warning), .logged(_, .error): return false
    default: return true
    }
  }

  /// Returns the lines in place of the items, only once, before the event that ends their group.
  func takeLines(before event: FlowEvent) -> [String] {
    guard let step = event.step, event.source.item == nil else { return [] }
    switch event.kind {
    case .groupFinished, .groupStopped, .finished: return takeLines(of: step)
    default: return []
    }
  }

  /// Returns the lines of the groups that have not ended, only once.
  func takeOtherLines() -> [String] {
    groups.keys.sorted().flatMap(takeLines)
  }

  private func takeLines(of step: Int) -> [String] {
    guard let group = groups[step], !group.isListed else { return [] }
    let source = FlowEvent.Source(record.step(step)?.name ?? "Group")
    groups[step]?.isListed = true
    var lines: [String] = []
    if let items = record.step(step)?.items { lines.append("items: " + items.countText) }
    let name = { (index: Int) in self.name(of: index, in: group) }
    if let slowest = group.slowest(Self.slowestCount, name) { lines.append("slowest: " + slowest) }
    if let retried = group.retried(Self.retriedCount, name) { lines.append("tried again: " + retried) }
    let failures = record.itemFailures.filter { $0.step == step }.sorted { $0.index < $1.index }
    lines += failures.prefix(ListedFailures.limit).map { failure in
      let attempts = failure.attempt > 1 ? " after \(failure.attempt) attempts" : ""
      let input = ValueText.cutInside(failure.input, limit: 80)
      return "failed: \(failure.index.itemNumber) \(input)\(attempts): \(failure.error)"
    }
    let rest = max(failures.count, record.step(step)?.items?.failed ?? 0) - min(failures.count, ListedFailures.limit)
    if rest > 0 { lines.append("\(ValueText.count(rest, "more failed item")) not listed here; the report has them") }
    return lines.map { "\(source) \(LineText.escaped($0))" }
  }

  /// Returns the number of an item, with the item's own name if it has one.
  private func name(of index: Int, in group: Group) -> String {
    guard let name = group.items[index]?.name, Set(group.items.values.lazy.map(\.name).prefix(2)).count > 1 else {
      return index.itemNumber
    }
    return "\(index.itemNumber) \(ValueText.cutInside(name, limit: 40))"
  }
}

extension FoldedGroups.Group {
  fileprivate mutating func note(_ event: FlowEvent, of index: Int) {
    switch event.kind {
    case .started:
      items[index, default: FoldedGroups.Item()].begin(event)
      items[index]?.name = event.source.name
    case .finished, .recovered: items[index, default: FoldedGroups.Item()].end(event)
    default: break
    }
  }

  /// Returns the items with the longest durations, including all their attempts; `nil` if no duration is known.
  fileprivate func slowest(_ count: Int, _ name: (Int) -> String) -> String? {
    let known = items.compactMap { index, item in item.duration.map { (index: index, duration: $0) } }
    let slowest = known.sorted { ($1.duration, $0.index) < ($0.duration, $1.index) }.prefix(count)
    if slowest.isEmpty { return nil }
    return slowest.map { name($0.index) + " " + DurationText.of(.seconds($0.duration)) }.joined(separator: ", ")
  }

  /// Returns the items that had more than one attempt; `nil` if there are none.
  fileprivate func retried(_ count: Int, _ name: (Int) -> String) -> String? {
    let retried = items.filter { $0.value.attempts > 1 }.sorted { $0.key < $1.key }
    if retried.isEmpty { return nil }
    let listed = retried.prefix(count).map { "\(name($0.key)) (\($0.value.attempts) attempts)" }
    let rest = retried.count - listed.count
    return (listed + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: ", ")
  }
}

extension FoldedGroups.Item {
  fileprivate mutating func begin(_ event: FlowEvent) {
    if began == nil { began = event.time }
    attempts = max(attempts, event.attempt)
  }

  fileprivate mutating func end(_ event: FlowEvent) {
    attempts = max(attempts, event.attempt)
    if let began { duration = max(0, event.time.timeIntervalSince(began)) }
  }
}
