import OperationFlow

/// The times and names of a group's items, as far as the record contains them.
struct PageItemTimes {
  struct Item {
    let index: Int
    /// The name of the item, or of the group's operation if items have no names.
    let name: String
    var start: Int64
    var end: Int64
    var attempts: Int

    /// The time from the beginning of the first attempt to the end of the last one, in microseconds.
    var duration: Int64 { end - start }
  }

  private let items: [Item]
  private let haveNames: Bool

  /// Collects the items of a group; `step` is the position of the group among the steps.
  init(_ record: FlowRecord, _ timeline: PageTimeline, _ step: Int) {
    var found: [Int: Item] = [:]
    for position in timeline.lanes[step].joined() {
      let span = timeline.spans[position]
      guard let index = span.item, !span.isUndo else { continue }
      var item =
        found[index]
        ?? Item(
          index: index, name: span.event.map { record.events[$0].source.name } ?? "", start: span.start, end: span.end,
          attempts: span.attempt)
      item.start = min(item.start, span.start)
      item.end = max(item.end, span.end)
      item.attempts = max(item.attempts, span.attempt)
      found[index] = item
    }
    items = found.values.sorted { $0.index < $1.index }
    haveNames = Set(items.lazy.map(\.name)).count > 1
  }

  /// The number of the items.
  var count: Int { items.count }

  /// Returns the items with the longest durations, if there are more than `count` items; `nil` otherwise.
  func slowest(_ count: Int) -> [Item]? {
    guard items.count > count else { return nil }
    return Array(items.sorted { ($1.duration, $0.index) < ($0.duration, $1.index) }.prefix(count))
  }

  /// The items with more than one attempt, in their order.
  var retried: [Item] { items.filter { $0.attempts > 1 } }

  /// Returns the number of an item as HTML, with its name if the items have names of their own.
  func name(of item: Item) -> String {
    guard haveNames else { return item.index.itemNumber }
    return "\(item.index.itemNumber) <bdi>\(PageText.html(PageText.cut(item.name, 60)))</bdi>"
  }
}
