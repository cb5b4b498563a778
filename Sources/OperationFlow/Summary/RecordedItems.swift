import Foundation

/// The items of a group with their names, attempts and durations, as far as the record contains them.
package struct RecordedItems: Sendable {
  package struct Item: Sendable {
    /// The index of the item, counted from 0.
    package let index: Int
    /// The name of the item, or of the group's operation if items have no names.
    fileprivate var name = ""
    /// The number of the last attempt.
    package fileprivate(set) var attempts = 1
    /// The number of attempts that the record contains.
    package fileprivate(set) var startCount = 0
    /// The time of the first attempt's beginning; `nil` if the record may have left it out.
    fileprivate var begin: Date?
    /// The time from the beginning of the first attempt to the end of the last; `nil` unless the record has both.
    package fileprivate(set) var duration: Duration?
  }

  /// The items in the order of their indices.
  package let items: [Item]
  private let haveNames: Bool

  private init(_ items: some Collection<Item>) {
    self.items = items.sorted { $0.index < $1.index }
    haveNames = Set(items.lazy.map(\.name)).count > 1
  }

  /// Returns the items of each group of a record, by the number of the group's step.
  package static func all(in record: FlowRecord) -> [Int: RecordedItems] {
    var groups: [Int: [Int: Item]] = [:]
    let leftOut = LeftOutPlaces(record.events)
    for (position, event) in record.events.enumerated() {
      guard let step = event.step, let index = event.source.item else { continue }
      switch event.kind {
      case .started:
        // A later attempt doesn't show when the item began, if the first one may have been left out.
        let isFirst = event.attempt == 1 || !leftOut.isGap(before: position, of: step)
        groups[step, default: [:]][index, default: Item(index: index)].start(event, isFirst: isFirst)
      case .finished, .recovered: groups[step, default: [:]][index, default: Item(index: index)].end(event)
      // Items that ended before a resume have only other events, such as those of their undos.
      default: if groups[step] == nil { groups[step] = [:] }
      }
    }
    return groups.mapValues { RecordedItems($0.values) }
  }

  /// The items whose durations are known, the longest first.
  package var slowest: [Item] {
    items.filter { $0.duration != nil }.sorted { ($1.duration ?? .zero, $0.index) < ($0.duration ?? .zero, $1.index) }
  }

  /// The items with more than one attempt.
  package var retried: [Item] { items.filter { $0.attempts > 1 } }

  /// Returns the own name of an item; `nil` if the items of the group have none.
  package func name(of item: Item) -> String? { haveNames ? item.name : nil }
}

extension RecordedItems.Item {
  fileprivate mutating func start(_ event: FlowEvent, isFirst: Bool) {
    name = event.source.name
    startCount += 1
    attempts = max(attempts, event.attempt)
    if begin == nil, isFirst { begin = event.time }
    // An item whose attempt has begun hasn't ended.
    duration = nil
  }

  fileprivate mutating func end(_ event: FlowEvent) {
    name = event.source.name
    attempts = max(attempts, event.attempt)
    guard let begin, !event.isRetried, !event.isRecovering else { return }
    duration = .seconds(max(0, event.time.timeIntervalSince(begin)))
  }
}
