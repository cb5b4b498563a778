import Foundation

/// The events of one step that a record keeps: the first ones for good, and the newest while they are the newest.
struct StepShare: Sendable {
  /// The step's place in the blueprint; -1 is for all events that no step has caused.
  let step: Int32
  /// The number of events so far.
  private(set) var count = 0
  /// The newest events; once there are as many as are kept, the next one takes the place of the oldest.
  private var newest: [RecordedEvent] = []
  /// The place of the oldest.
  private var oldest = 0
  private var leftOut = OmittedEvents()
  /// The items that have failed and whose last event is still among the newest.
  private var failedItems: Set<Int> = []
  private var keptFailureCount = 0

  init(step: Int32) { self.step = step }

  /// Counts an event; true if it is one of the first, which are kept for good.
  @inline(__always)
  mutating func isAmongFirst(_ limit: Int) -> Bool {
    count += 1
    return count <= limit
  }

  /// The number of failed items of which all known events are kept, even if neither among the first nor the newest.
  private static let failureLimit = 1_000

  /// Adds an event, and returns the one that it pushes out if that is to be kept because its item failed.
  mutating func take(_ event: consuming RecordedEvent, last: Int, keepsFailures: Bool) -> RecordedEvent? {
    if keepsFailures, let item = event.item, keptFailureCount < Self.failureLimit, event.isFailure {
      if failedItems.insert(item).inserted { keptFailureCount += 1 }
    }
    guard newest.count >= last else {
      newest.append(event)
      return nil
    }
    var old = event
    if last > 0 {
      swap(&newest[oldest], &old)
      oldest = oldest + 1 == last ? 0 : oldest + 1
    }
    guard !failedItems.isEmpty, let item = old.item, failedItems.contains(item) else {
      leftOut.add(old)
      return nil
    }
    if old.isFailure { failedItems.remove(item) }
    return old
  }

  /// The event that reports how many events were left out, once; `nil` if there are none.
  @inline(never)
  mutating func takeLeftOut() -> RecordedEvent? {
    guard leftOut.events > 0 else { return nil }
    defer { leftOut = OmittedEvents() }
    return leftOut.event(of: step)
  }

  /// Counts from zero again, after a step of which all events are kept for good.
  @inline(__always)
  mutating func startOver() { count = 0 }

  /// Returns the newest events, because the step has no more.
  mutating func takeNewest() -> [RecordedEvent] {
    defer { self = StepShare(step: step) }
    // Most steps have none, or fewer than are kept.
    return oldest == 0 ? newest : Array(newest[oldest...] + newest[..<oldest])
  }
}

/// How many events a record has left out in one place.
struct OmittedEvents: Sendable {
  private(set) var events = 0
  private var items = 0
  private var date = Date.distantPast
  private var number = 0

  mutating func add(_ event: borrowing RecordedEvent) {
    events += 1
    date = event.date
    number = event.number
    // An item has ended if neither another attempt nor a recovery follows.
    guard event.item != nil, event.failure != .retried, event.failure != .recovering else { return }
    switch event.kind {
    case .finished, .recovered: items += 1
    default: break
    }
  }

  /// The event that reports them, in the place of the last one.
  func event(of step: Int32) -> RecordedEvent {
    var source = FlowEvent.Source.record
    source.step = step
    return RecordedEvent(date: date, source: source, kind: .leftOut(events: events, items: items), number: number)
  }
}
