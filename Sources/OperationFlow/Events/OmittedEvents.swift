import Foundation

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
