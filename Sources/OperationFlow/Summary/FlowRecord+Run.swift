import Foundation

extension RunFacts {
  /// The follow-ups of each step by its number, without steps that have none.
  var followUps: [Int: FollowUps] {
    var found = [Int: FollowUps]()
    for note in notes {
      guard let step = note.path?.node else { continue }
      switch note.kind {
      case .undo where note.error == nil: found[step, default: FollowUps()].undone += 1
      case .undo: found[step, default: FollowUps()].notUndone += 1
      case .recovery: found[step, default: FollowUps()].recovered += 1
      case .failure, .alwaysFailure: break
      }
    }
    for (step, items) in items {
      let counts = items.counts
      found[step, default: FollowUps()].retriedItems = items.retries.items
      let ended = counts.succeeded + counts.failed + counts.cancelled
      found[step, default: FollowUps()].itemAttempts = ended + items.retries.attempts
    }
    return found
  }
}

extension FlowReport {
  /// The record of the run; created on each access.
  public var record: FlowRecord { record(adding: [], hiding: secrets) }

  fileprivate func record(adding notes: [FlowEvent], hiding secrets: SecretTexts) -> FlowRecord {
    FlowRecord(
      plainFlowName, facts, log.events + notes, itemFailures: itemFailures, duration: duration, log, hiding: secrets)
  }
}

extension FlowRun {
  /// The current record of the run; created on each access.
  ///
  /// You can read it from any thread while the run is under way.
  public var record: FlowRecord { record(adding: EventLog()) }

  /// Returns a record that also has notes after the events of the run.
  func record(adding notes: EventLog) -> FlowRecord {
    let log = recorder.log
    // A name may have been marked as sensitive after the run's end.
    let report = currentOutcome?.report.with(log).hidingSecrets()
    var secrets = report?.secrets ?? secrets
    notes.insertSecrets(into: &secrets)
    if let report { return report.record(adding: notes.events, hiding: secrets) }
    let facts = facts.hiding(log.hidden, log.shownPaths, secrets)
    return FlowRecord(flowName, facts, log.events + notes.events, log, hiding: secrets)
  }
}

extension FlowRecord {
  /// Creates the record of a run, which has ended if its last event is there or its duration is known.
  init(
    _ flowName: String, _ facts: RunFacts, _ events: [FlowEvent], itemFailures: [FlowItemFailure] = [],
    duration: Duration? = nil, _ log: EventLog? = nil, hiding secrets: SecretTexts
  ) {
    var events = events
    for index in events.indices { events[index].roundToMicroseconds() }
    let ending = facts.ending(events, duration: duration, hiding: secrets)
    let steps = facts.recordedSteps(events, hasEnded: ending != nil, hiding: secrets)
    if !secrets.isEmpty {
      let paths = steps.reduce(into: [FlowPath?](repeating: nil, count: steps.count)) { $0[$1.id] = $1.path }
      events = events.map { event in
        event.scrubbing(secrets, path: event.step.flatMap { paths.indices.contains($0) ? paths[$0] : nil })
      }
    }
    self.init(
      flowName: secrets.scrubbing(ValueText.cut(flowName)), steps: steps, events: events,
      itemFailures: itemFailures.prefix(FlowItemFailure.describedCount).map { failure in
        ItemFailure(
          name: secrets.scrubbing(failure.name), step: failure.path?.node, index: failure.index,
          input: secrets.scrubbing(failure.inputText), error: secrets.scrubbing(failure.errorText),
          attempt: failure.attempt)
      }, ending: ending, runID: log?.identity?.runIdentifier)
  }
}

extension RunFacts {
  /// Returns the steps and branches with their states; steps that run are found in the events.
  fileprivate func recordedSteps(
    _ events: [FlowEvent], hasEnded: Bool, hiding secrets: SecretTexts
  ) -> [FlowRecord.Step] {
    guard let table else { return [] }
    let paths = table.paths.scrubbing(secrets)
    let states = StepStates(self, table)
    let started = hasEnded ? nil : Set(events.compactMap { $0.kind == .started ? $0.step : nil })
    let followUps = followUps
    return paths.outermostFirst.map { node in
      let isBranch = paths.isBranch(node)
      let fact = isBranch ? StepFact() : steps[node]
      let ports = isBranch ? nil : table.ports[node]
      let state = states.state(of: node, started: started)
      let items = items[node]?.counts
      return FlowRecord.Step(
        id: node, parent: paths.parent(of: node), name: paths.name(of: node), number: paths.number(of: node),
        kind: isBranch ? .branch : FlowRecord.Kind(table.kind(of: node)), path: paths.path(of: node) ?? "",
        inputs: ports?.allInputs.map { secrets.scrubbing($0.name) } ?? [],
        outputs: ports?.outputs.map { secrets.scrubbing($0.name) } ?? [],
        options: isBranch ? [] : FlowRecord.Option.all(in: table.marks(of: node)), state: state,
        duration: hasEnded || fact.state != .running ? duration(of: fact)?.inMicroseconds : nil,
        beforeResume: beforeResume(of: fact), attempts: max(fact.attempts, state == .running && !isBranch ? 1 : 0),
        items: items, followUps: followUps[node] ?? (items == nil ? nil : FollowUps()))
    }
  }

  fileprivate func ending(
    _ events: [FlowEvent], duration: Duration?, hiding secrets: SecretTexts
  ) -> FlowRecord.Ending? {
    // Notes of the flow may follow the run's last event, which is missing if an earlier process ended the run.
    let last = events.last { if case .flowFinished = $0.kind { true } else { false } }
    let time = last.map { Duration.seconds($0.time.timeIntervalSince(events.first?.time ?? $0.time)) }
    guard let duration = duration ?? time else { return nil }
    let result = failure != nil ? FlowRecord.Ending.Result.failed : decision == nil ? .succeeded : .cancelled
    return FlowRecord.Ending(
      result: result, duration: duration.inMicroseconds, text: holdsNoTexts ? "" : secrets.scrubbing(endText),
      failure: failure?.recorded(hiding: secrets))
  }
}

extension FlowRecord.Kind {
  package init(_ kind: FlowStepKind) {
    self =
      switch kind {
      case .operation(let type): .operation(type: type)
      case .closure: .closure
      case .group(let width, let tolerance, _): .group(width: width, stopText: tolerance.stopText)
      case .cases: .cases
      case .flow: .flow
      case .parallel: .parallel
      case .always: .always
      }
  }
}

extension FlowRecord.Option {
  package static func all(in marks: StepMarks) -> Set<Self> {
    marks.isEmpty ? [] : Set(allCases.filter { marks.contains($0.mark) })
  }

  private var mark: StepMarks {
    switch self {
    case .undo: .undo
    case .condition: .condition
    case .retry: .retry
    case .timeout: .timeout
    case .wait: .wait
    }
  }
}

extension FlowEvent {
  fileprivate mutating func roundToMicroseconds() {
    let isShifted = date != time
    date = Date(microseconds: date.microseconds)
    time = isShifted ? Date(microseconds: time.microseconds) : date
  }
}

extension ReportedWork {
  fileprivate func recorded(hiding secrets: SecretTexts) -> FlowRecord.Failure {
    let error = failure as? FlowError
    // A refused flow has not reached the step that caused the refusal.
    let name = (isRefusal ? error?.step : nil) ?? name
    let problem = error.map { ValueText.cut($0.problem, limit: isRefusal ? 8_000 : ValueText.limit) } ?? failureText
    return FlowRecord.Failure(
      name: secrets.scrubbing(name), step: step, item: item, attempt: attempt, problem: secrets.scrubbing(problem),
      remedy: error.map { secrets.scrubbing(ValueText.cut($0.remedy)) }, isRefusal: isRefusal)
  }
}
