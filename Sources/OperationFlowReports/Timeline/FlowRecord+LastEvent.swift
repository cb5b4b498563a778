import OperationFlow

extension FlowRecord {
  /// The event that ended the run, or else the newest event; log lines may follow the end.
  var lastEvent: FlowEvent? {
    let end = ending == nil ? nil : events.last { if case .flowFinished = $0.kind { true } else { false } }
    return end ?? events.last
  }
}
