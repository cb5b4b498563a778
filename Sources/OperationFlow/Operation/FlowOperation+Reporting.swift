extension FlowOperation {
  /// Its connection to its run: where to report its end, and the name under which it runs; `nil` outside a run.
  final var context: FlowContext? { withLifecycle { $0.context } }

  /// A text that is the same for each attempt of this work, also after a resume, so that a server can do the work once.
  ///
  /// It consists of the run's identifier, the step's path, and the item's index. It is `nil` before the operation has
  /// started, and outside a flow.
  public final var idempotencyKey: String? { context?.idempotencyKey }

  /// The number of the attempt, counted from 1; `nil` before the operation has started, and outside a flow.
  public final var attempt: Int? { context?.attempt }

  /// The ending of the run so far, in an operation that undoes something or always runs at the end; otherwise `nil`.
  public final var runEnding: FlowEnding? { context?.ending }

  // MARK: Logging

  /// Adds a line to the flow's record; does nothing outside a flow or after the run has ended.
  ///
  /// - Parameters:
  ///   - message: The line; a summary shows it after the time and ``displayName``.
  ///   - level: The importance of the line.
  public final func log(message: String, level: FlowLogLevel = .info) {
    guard let place = withLifecycle({ $0.logPlace }) else { return record(.logged(message, level)) }
    place.recorder.recordLine(message, level, source: place.source)
  }

  /// Adds an event about the operation to the record of its run, if it has one.
  package final func record(_ event: FlowEvent.Kind) { record(.plain(event.changingTexts(.cut))) }

  /// Adds an event as a record keeps it; after its run, nothing is added any more.
  final func record(_ event: RecordedKind) {
    let (host, pastRun) = withLifecycle { ($0.host, $0.pastRun) }
    (host?.recorder ?? pastRun?.recorder)?.record(event, source: source)
  }

  /// Reports how much of its work the operation has done, for the run's progress.
  ///
  /// - Parameter fraction: A value from 0 to 1; a value outside this range is clamped to it.
  public final func reportProgress(_ fraction: Double) { context?.reportProgress(fraction) }
}
