import OperationFlow

/// The values in the data bucket of a run at a moment, as far as the record has them.
struct PageBucket {
  /// A value's text, and the event that wrote it.
  struct Value {
    let text: String
    let writer: FlowEvent
  }

  private(set) var values: [String: Value] = [:]

  /// The values before the event at a position.
  init(_ events: [FlowEvent], before end: Int) {
    for event in events.prefix(end) { take(event) }
  }

  private mutating func take(_ event: FlowEvent) {
    switch event.kind {
    case .flowStarted(let items):
      values = Dictionary(items.map { ($0.name, Value(text: $0.text, writer: event)) }) { _, last in last }
    case .added(let name, let text) where event.isOfRunsBucket: values[name] = Value(text: text, writer: event)
    case .replaced(let name, _, let new) where event.isOfRunsBucket: values[name] = Value(text: new, writer: event)
    case .removed(let name, _) where event.isOfRunsBucket: values[name] = nil
    default: break
    }
  }
}
