import Foundation

/// The events of one step after the first ones that a record keeps: the newest, and those of items that failed.
struct StepShare: Sendable {
  /// The step's place in the blueprint, or -1 for all events that no step has caused; changed only while nothing is counted.
  var step: Int32
  var count = 0
  /// The newest events; once there are as many as are kept, the next one takes the place of the oldest.
  private var newest: [RecordedEvent] = []
  private var oldest = 0
  /// Those of failed items that the newest have pushed out, and how many were left out before each.
  private var others: [RecordedEvent] = []
  /// How many events have been left out since that was last reported, and how many items have ended in them.
  private var leftOutEvents = 0
  private var leftOutItems = 0
  /// The number and the time of the last of them.
  private var lastNumber = 0
  private var lastTime = Date.distantPast
  /// The items that have failed and whose last event is still among the newest.
  private var failedItems: Set<Int> = []
  private var keptFailureCount = 0

  /// The number of failed items of which all known events are kept, even if neither among the first nor the newest.
  private static let failureLimit = 1_000

  init(step: Int32) { self.step = step }

  /// Adds an event; the one that it pushes out is counted, or kept because its item failed.
  mutating func take(_ event: RecordedEvent, last: Int, keepsFailures: Bool) {
    if keepsFailures, let item = event.item, keptFailureCount < Self.failureLimit, event.isFailure {
      if failedItems.insert(item).inserted { keptFailureCount += 1 }
    }
    guard newest.count >= last else { return newest.append(event) }
    var old = event
    if last > 0 {
      swap(&newest[oldest], &old)
      oldest = oldest + 1 == last ? 0 : oldest + 1
    }
    guard !failedItems.isEmpty, let item = old.item, failedItems.contains(item) else { return leaveOut(old) }
    if old.isFailure { failedItems.remove(item) }
    if let leftOut { others.append(leftOut) }
    leftOutEvents = 0
    leftOutItems = 0
    others.append(old)
  }

  mutating func leaveOut(_ event: RecordedEvent) {
    leftOutEvents += 1
    lastNumber = event.number
    lastTime = event.time
    // An item has ended if neither another attempt nor a recovery follows.
    guard event.item != nil, event.failure != .retried, event.failure != .recovering else { return }
    switch event.kind {
    case .finished, .recovered: leftOutItems += 1
    default: break
    }
  }

  /// The event that reports how many events were left out since the last one, in its place; `nil` if there are none.
  var leftOut: RecordedEvent? {
    guard leftOutEvents > 0 else { return nil }
    var source = FlowEvent.Source.record
    source.step = step
    let kind = FlowEvent.Kind.leftOut(events: leftOutEvents, items: leftOutItems)
    return RecordedEvent(time: lastTime, source: source, recordedKind: .plain(kind), number: lastNumber)
  }

  var events: [RecordedEvent] { others + (leftOut.map { [$0] } ?? []) + newest[oldest...] + newest[..<oldest] }
}
