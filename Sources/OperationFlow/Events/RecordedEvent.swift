import Foundation

/// An event as a record keeps it, in 64 bytes: the paths needed to read it belong to the record.
struct RecordedEvent: Sendable {
  /// By the run's clock, which nobody sets; the record knows the date.
  let time: Date
  private let name: String
  let recordedKind: RecordedKind
  let failure: FlowEvent.Source.Failure
  private let attempt: UInt16
  let step: Int32
  private let itemIndex: Int
  let number: Int

  init(time: Date, source: FlowEvent.Source, recordedKind: RecordedKind, number: Int = 0) {
    self.time = time
    self.recordedKind = recordedKind
    self.number = number
    name = source.name
    failure = source.failure
    attempt = source.attemptNumber
    step = source.step
    itemIndex = source.itemIndex
  }

  /// What happened, without the texts of values, to distinguish events.
  var kind: FlowEvent.Kind { recordedKind.outline }

  /// The event as it is shown while these names are sensitive; it may make texts, so no lock may be held.
  func shown(hiding hidden: HiddenNames, _ paths: PathTable?, _ shifts: ClockShifts) -> FlowEvent {
    let kind = recordedKind.hiding(hidden, in: step)
    return FlowEvent(
      date: shifts.date(of: time), time: time, source: source, kind: kind, number: number,
      path: paths?.path(of: Int(step)))
  }

  var item: Int? { itemIndex < 0 ? nil : itemIndex }

  var source: FlowEvent.Source {
    FlowEvent.Source(name: name, itemIndex: itemIndex, step: step, attemptNumber: attempt, failure: failure)
  }

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
      .skipped, .paused, .resumed, .cancelRequested, .leftOut:
      .step
    }
  }

  var isFailure: Bool {
    switch kind {
    case .finished(let finish), .undoFinished(let finish): finish.errorText != nil
    default: false
    }
  }
}
