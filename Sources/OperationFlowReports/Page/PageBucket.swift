import OperationFlow

/// The values in a run's data bucket at a moment, as far as the record contains them, and the events that wrote them.
struct PageBucket {
  let texts: BucketTexts
  private(set) var writers: [String: FlowEvent] = [:]

  /// Finds the values before the event at a position.
  init(_ events: [FlowEvent], before end: Int) {
    texts = BucketTexts(events, before: end)
    var number = 0
    for (place, event) in events.prefix(end + 1).enumerated() {
      // Events that were left out may have written anything.
      if event.kind.isLeftOut || event.number &- number > 1 { writers = [:] }
      number = event.number
      guard place < end, event.isOfRunsBucket else { continue }
      let isRemoval = if case .removed = event.kind { true } else { false }
      for item in event.kind.values { writers[item.name] = isRemoval ? nil : event }
    }
  }
}
