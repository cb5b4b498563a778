extension FlowOperation {
  // MARK: Logging

  /// Adds a line to the flow's record; outside a flow, and after the run's end, it goes nowhere.
  ///
  /// - Parameters:
  ///   - message: The line; a summary shows it behind the time and ``displayName``.
  ///   - level: How important it is.
  public final func log(message: String, level: FlowLogLevel = .info) {
    record(.logged(message, level))
  }

  /// Adds an event about the operation to the record of the run that it is part of, if there is one.
  package final func record(_ event: FlowEvent.Kind) {
    let (recorder, source) = withLifecycle { ($0.recorder, $0.source) }
    guard let recorder, let source else { return }
    recorder.record(event, source: source)
  }

  /// Says how far the operation has come, for the run's progress.
  ///
  /// - Parameter fraction: From 0 to 1; what lies outside is taken as the nearer end.
  public final func reportProgress(_ fraction: Double) {
    guard let attachment = withLifecycle({ $0.attachment }) else { return }
    attachment.host.workDidReport(attachment.ticket, fraction: fraction)
  }
}
