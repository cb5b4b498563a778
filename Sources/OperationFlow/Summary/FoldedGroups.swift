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

  private let record: FlowRecord
  private let groups: [Int: RecordedItems]
  /// The groups whose lines were returned.
  private var listed: Set<Int> = []

  init(_ record: FlowRecord) {
    self.record = record
    groups = RecordedItems.all(in: record).filter { step, group in
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
    guard let group = groups[step], listed.insert(step).inserted else { return [] }
    let source = FlowEvent.Source(record.step(step)?.name ?? "Group")
    var lines: [String] = []
    if let items = record.step(step)?.items { lines.append("items: " + items.countText) }
    if let slowest = Self.slowest(in: group) { lines.append("slowest: " + slowest) }
    if let retried = Self.retried(in: group) { lines.append("tried again: " + retried) }
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

  /// Returns the items with the longest durations; `nil` if no duration is known.
  private static func slowest(in group: RecordedItems) -> String? {
    let texts = group.slowest.prefix(slowestCount).compactMap { item in
      item.duration.map { "\(name(of: item, in: group)) \(DurationText.of($0))" }
    }
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }

  /// Returns the items that had more than one attempt; `nil` if there are none.
  private static func retried(in group: RecordedItems) -> String? {
    let retried = group.retried
    if retried.isEmpty { return nil }
    let listed = retried.prefix(retriedCount).map { "\(name(of: $0, in: group)) (\($0.attempts) attempts)" }
    let rest = retried.count - listed.count
    return (listed + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: ", ")
  }

  /// Returns the number of an item, with the item's own name if it has one.
  private static func name(of item: RecordedItems.Item, in group: RecordedItems) -> String {
    item.index.itemNumber + (group.name(of: item).map { " " + ValueText.cutInside($0, limit: 40) } ?? "")
  }
}
