extension RecordedEvent {
  /// How important an event is to a record.
  enum Rank {
    /// It frames the record, and is never left out.
    case run
    /// It reports what the flow or one of its steps does.
    case step
    /// It reports what an item does, or what is logged or written.
    case detail
  }

  var rank: Rank {
    switch kind {
    case .flowStarted, .flowFinished: .run
    case .started, .finished, .recovered, .endedLate, .undoStarted, .undoFinished: item == nil ? .step : .detail
    case .logged, .progressed, .warned, .added, .replaced, .removed: .detail
    case .groupCreated, .groupStarted, .groupIsEmpty, .groupFinished, .groupStopped, .caseChosen, .noCaseMatched,
      .skipped, .paused, .resumed,
      .cancelRequested, .leftOut:
      .step
    }
  }

  /// Whether it reports a failure.
  var isFailure: Bool {
    switch kind {
    case .finished(let finish), .undoFinished(let finish): finish.errorText != nil
    default: false
    }
  }
}
