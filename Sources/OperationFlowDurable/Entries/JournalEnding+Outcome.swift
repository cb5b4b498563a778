import Foundation
import OperationFlow
import OperationFlowStorage

extension JournalEnding {
  /// Creates the entry of an outcome.
  ///
  /// It encodes values, so no lock may be held.
  init(_ outcome: FlowOutcome, data: [StoredWrite], date: Date) {
    let report = outcome.report
    self.date = date
    self.data = data
    (duration, stepCount) = (report.duration, report.stepCount)
    (failure, failureDuration) = (nil, .zero)
    switch outcome {
    case .succeeded: way = .succeeded
    case .failed(let error, _): way = .failed(FlowStoredError.describing(error, as: report.failure?.work.errorText))
    case .cancelled: way = .cancelled(cause: 0, nil)
    }
    if let failure = report.failure {
      self.failure = Place(name: failure.name, step: failure.step, item: failure.item, attempt: failure.attempt)
      failureDuration = failure.duration
    }
    if case .step(let name, let path, let item)? = report.cancellation {
      way = .cancelled(cause: 0, Place(name: name, step: path?.number, item: item, attempt: 1))
    } else if let cause = report.cancellation {
      way = .cancelled(cause: cause.number, nil)
    }
    itemFailures = report.itemFailures.map { failure in
      let place = Place(name: failure.name, step: failure.path?.number, item: failure.index, attempt: failure.attempt)
      let input = failure.isInputSensitive ? nil : (try? StoredBytes(failure.input)) ?? nil
      let error = FlowStoredError.describing(failure.error, as: failure.texts?.error)
      return Failure(place: place, error: error, input: input)
    }
    let note = { (work: ReportedWork) in
      Note(
        place: Place(name: work.name, step: work.path?.number, item: work.item, attempt: work.attempt),
        error: work.error.map { FlowStoredError.describing($0, as: work.errorText) })
    }
    recoveries = report.recoveries.map { note($0.work) }
    undos = report.undos.map { note($0.work) }
    alwaysFailures = report.alwaysFailures.map { note($0.work) }
  }

  /// Returns the outcome as it was, with an empty log.
  ///
  /// Its steps and paths are missing if the flow's shape has changed.
  ///
  /// `entries` are the entries between the first one and the end.
  func outcome(
    _ launch: Launch, _ data: FlowData, _ entries: [Data], keepsPaths: Bool, _ sealing: FlowSealing?
  ) throws -> FlowOutcome {
    var values: [String: any Sendable] = [:]
    for write in self.data { values[write.name] = try write.value(sealing) }
    // Besides the sensitive names of the flow and its data, only those of stored values are still known.
    let hidden = data.sensitiveNames.union(launch.facts.sensitiveNames)
      .union(self.data.filter { $0.value.isHidden }.map(\.name))
    let path = { (place: Place) in keepsPaths ? place.step.flatMap { launch.facts.paths.path(of: $0) } : nil }
    let failures = itemFailures.map { failure in
      let place = failure.place
      return FlowItemFailure(
        place.name, path(place), place.item ?? 0, attempt: place.attempt, failure.error, input: failure.input?.value)
    }
    var facts = facts(launch, nil, keepsPaths: keepsPaths, path)
    // The outcome is known even if the entries before it can't be read.
    if keepsPaths,
      let known = try? EndedSteps.adding(
        entries, to: self.facts(launch, launch.facts, keepsPaths: true, path), of: launch.blueprint)
    {
      facts = known
    }
    let report = FlowReport(
      ofEnded: launch.flowName, facts, duration: duration, stepCount: stepCount,
      itemFailures: failures, values: values, recorder: launch.recorder, hiding: hidden, of: data.values)
    switch way {
    case .succeeded: return .succeeded(report)
    case .failed(let error): return .failed(report.shown(error), report)
    case .cancelled: return .cancelled(report)
    }
  }

  /// Returns the facts about the run without its steps and items.
  private func facts(
    _ launch: Launch, _ steps: BlueprintFacts?, keepsPaths: Bool, _ path: (Place) -> FlowPath?
  ) -> RunFacts {
    var facts = RunFacts(steps)
    facts.markEndedBefore()
    switch way {
    case .succeeded: break
    case .failed(let error):
      let name = failure?.name ?? FlowEvent.Source(launch.flowName).description
      facts.decide(
        .failed(
          ReportedWork(
            .failure, name, failure.flatMap(path), item: failure?.item, attempt: failure?.attempt ?? 1,
            after: failureDuration, error, step: keepsPaths ? failure?.step : nil)))
    case .cancelled(let cause, let place):
      let step = place.map { FlowReport.Cancellation.step(name: $0.name, path: path($0), item: $0.item) }
      facts.decide(.cancelled(step ?? FlowReport.Cancellation(cause)))
    }
    let kinds: [(ReportedWork.Kind, [Note])] = [
      (.recovery, recoveries), (.undo, undos), (.alwaysFailure, alwaysFailures),
    ]
    for (kind, notes) in kinds {
      for note in notes {
        let place = note.place
        facts.add(
          ReportedWork(
            kind, place.name, path(place), item: place.item, attempt: place.attempt, note.error,
            step: place.step ?? 0))
      }
    }
    facts.end(at: RunMoment(date: date))
    return facts
  }
}

extension StoredWrite {
  /// Returns the stored value; `nil` if there is none, or if it is encrypted and there is no sealing.
  fileprivate func value(_ sealing: FlowSealing?) throws -> (any Sendable)? {
    switch value {
    case .stored(let bytes): bytes.value
    case .sealed(let bytes): try sealing?.opened(bytes).value
    case .removed, .isSensitive, .isNotStored: nil
    }
  }
}

extension FlowReport.Cancellation {
  /// Creates the cause from its number in a journal.
  init(_ cause: UInt8) {
    switch cause {
    case 1: self = .task
    case 2: self = .progress
    default: self = FlowProcessSignal(number: Int32(clamping: cause) - Self.firstSignal).map(Self.signal) ?? .call
    }
  }

  /// The difference between the number of a signal in a journal and that of the system.
  private static let firstSignal: Int32 = 64

  /// The cause's number in a journal.
  var number: UInt8 {
    switch self {
    case .call, .step: 0
    case .task: 1
    case .progress: 2
    case .signal(let signal): UInt8(clamping: signal.number + Self.firstSignal)
    }
  }
}

extension FlowPath {
  /// The step's number in its blueprint; `nil` if it isn't known.
  fileprivate var number: Int? { step < 0 ? nil : Int(step) }
}
