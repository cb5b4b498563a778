@testable import OperationFlow

/// Checks that a run's record agrees with itself and with the outcome, for any flow.
struct RecordCheck {
  /// The first fault that was found; `nil` if there is none.
  private(set) var complaint: String?
  private let outcome: FlowOutcome
  private let events: [FlowEvent]

  init(_ outcome: FlowOutcome) {
    self.outcome = outcome
    events = outcome.report.events
    checkEnds()
    checkPairs()
    checkStarts()
    checkFailures()
    checkPauses()
    checkItems()
  }

  private mutating func require(_ holds: Bool, _ text: String) {
    if !holds, complaint == nil { complaint = text }
  }

  /// Checks that there is one start and one end, and that the last event is the end and agrees with the outcome.
  private mutating func checkEnds() {
    var (starts, ends) = (0, 0)
    for event in events {
      switch event.kind {
      case .flowStarted: starts += 1
      case .flowFinished: ends += 1
      default: break
      }
    }
    require(starts == 1 && ends == 1, "\(starts) starts and \(ends) ends")
    guard case .flowFinished(let ending, _) = events.last?.kind else {
      return require(false, "the end is not the last")
    }
    let agrees =
      switch outcome {
      case .succeeded: ending == .successfully
      case .failed(let error, _): ending == Settlement(error).eventFinish
      case .cancelled: ending == .cancelled
      }
    require(agrees, "the record ends with \(ending), the outcome is another")
  }

  /// Checks that each start has one finish, and that work without a start doesn't succeed.
  private mutating func checkPairs() {
    var open: [Place: Int] = [:]
    // A recovery finishes after the last attempt, and has no start of its own.
    var wasRecovering: Set<Place> = []
    for event in events {
      let place = Place(source: event.source, step: event.source.step)
      if event.isRecovering { wasRecovering.insert(place) }
      switch event.kind {
      case .started: open[place, default: 0] += 1
      case .finished(let finish):
        if let count = open[place], count > 0 {
          open[place] = count - 1
        } else if wasRecovering.remove(place) == nil {
          require(finish != .successfully, "\(event.source) succeeds without having started")
        }
      default: break
      }
    }
    for (place, count) in open where count > 0 { require(false, "\(place.source) has not finished") }
  }

  /// The step or item of an event; items of groups that run at once may have the same name and index.
  private struct Place: Hashable {
    let source: FlowEvent.Source
    let step: Int32
  }

  /// The index of the event that decides the end: a cancellation, a stopped group, or a step that doesn't succeed.
  private var decision: Int? {
    events.firstIndex { event in
      switch event.kind {
      case .cancelRequested, .groupStopped: true
      case .finished(let finish): finish != .successfully && event.source.item == nil && event.isFinal
      default: false
      }
    }
  }

  /// Checks that nothing starts after the end is decided, and that the outcome agrees with the decision.
  private mutating func checkStarts() {
    guard let decision else { return require(outcome.isSuccess, "ends as \(outcome.error as Any), for nothing") }
    let late = events[decision...].first { $0.kind == .started && !$0.isOfClosing }
    require(late == nil, "\(late?.source.description ?? "") starts behind the decision")
    if events[decision].kind == .cancelRequested { require(outcome.isCancelled, "cancelled, and has another end") }
    require(!outcome.isSuccess, "succeeds though something has not")
  }

  /// Checks that the report has the item failures of the record, and that the record has the outcome's error.
  private mutating func checkFailures() {
    let decision = decision ?? events.count
    let failures = events.enumerated().filter { index, event in
      guard case .finished(let finish) = event.kind, event.source.item != nil, event.isFinal else { return false }
      // An item that is cancelled because the run ends is no failure.
      return finish != .successfully && (finish != .cancelled || index < decision)
    }
    let kept = outcome.report.itemFailures
    require(kept.count == failures.count, "\(kept.count) failures are kept, and \(failures.count) recorded")
    for ((_, event), failure) in zip(failures, kept) {
      require(event.source.description == failure.name, "\(failure.name) is kept, and \(event.source) recorded")
      require(event.source.item == failure.index, "\(failure.name) has the index \(failure.index)")
    }
    guard case .failed(let error, _) = outcome else { return }
    let text = FlowEvent.Kind.finished(Settlement(error).eventFinish)
    require(events.prefix(decision + 1).contains { $0.kind == text }, "nothing is recorded of \(error)")
  }

  /// Checks that the report's counts of items equal the record's, and that the states of steps are consistent.
  private mutating func checkItems() {
    var ends: [String: [Int: FlowEvent.Finish]] = [:]
    for event in events {
      guard let item = event.source.item, let path = event.path else { continue }
      switch event.kind {
      // An item that waits for another attempt when the run ends counts as cancelled.
      case .finished(let finish): ends[path.description, default: [:]][item] = event.isFinal ? finish : .cancelled
      case .recovered: ends[path.description, default: [:]][item] = .successfully
      default: break
      }
    }
    for step in outcome.report.steps {
      if outcome.isSuccess { require(step.end != .neverRan && step.end != .failed, "\(step), though it succeeds") }
      require(
        (step.duration == nil) == (step.end == .skipped || step.end == .neverRan),
        "\(step) lasts \(step.duration as Any)")
      guard let items = step.items else { continue }
      let finishes = (ends[step.path.description] ?? [:]).values
      let (succeeded, cancelled) = (finishes.count { $0 == .successfully }, finishes.count { $0 == .cancelled })
      require(
        (items.succeeded, items.cancelled, items.failed)
          == (succeeded, cancelled, finishes.count - succeeded - cancelled),
        "\(step), but \(finishes.count) items have ended, \(succeeded) successfully, \(cancelled) as cancelled")
      require(items.neverStarted.map { $0 >= 0 } ?? true, "\(step)")
      if step.end == .succeeded { require(items.neverStarted == 0, "\(step)") }
    }
  }

  private mutating func checkPauses() {
    var isPaused = false
    for event in events where event.kind == .paused || event.kind == .resumed {
      require(isPaused != (event.kind == .paused), "\(event.kind) twice")
      isPaused = event.kind == .paused
    }
  }
}

extension FlowEvent {
  /// True if neither another attempt nor a recovery follows.
  var isFinal: Bool { !isRetried && !isRecovering }
}
