import Foundation

/// How many events a record has left out in one place.
struct LeftOut: Sendable {
  private var events = 0
  private var items = 0
  private var date = Date.distantPast

  mutating func add(_ event: FlowEvent) {
    events += 1
    if case .finished = event.kind, event.source.item != nil { items += 1 }
    date = event.date
  }

  /// What the record says of them; `nil` where there are none.
  var event: FlowEvent? {
    events == 0 ? nil : FlowEvent(date: date, source: .record, kind: .leftOut(events: events, items: items))
  }
}
