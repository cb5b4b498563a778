import OperationFlow

extension FlowRecord {
  /// The event that the run has ended with, after which there may be notes of the flow; or the last one so far.
  var lastEvent: FlowEvent? {
    let end = ending == nil ? nil : events.last { if case .flowFinished = $0.kind { true } else { false } }
    return end ?? events.last
  }
}
