/// The newest events, up to a number.
struct EventRing: Sendable {
  private let capacity: Int
  private var events: [FlowEvent] = []
  /// Where the oldest stands, once all places are taken.
  private var oldest = 0

  init(capacity: Int) { self.capacity = capacity }

  /// Adds an event, and hands out the one that has to go for it.
  mutating func append(_ event: consuming FlowEvent) -> FlowEvent? {
    guard capacity > 0 else { return event }
    guard events.count == capacity else {
      events.append(event)
      return nil
    }
    let old = events[oldest]
    events[oldest] = event
    oldest = oldest + 1 == capacity ? 0 : oldest + 1
    return old
  }

  /// Hands out all events in their order.
  mutating func removeAll() -> [FlowEvent] {
    defer { (events, oldest) = ([], 0) }
    return Array(events[oldest...] + events[..<oldest])
  }

  mutating func replaceAll(_ change: (FlowEvent) -> FlowEvent) {
    for index in events.indices { events[index] = change(events[index]) }
  }
}
