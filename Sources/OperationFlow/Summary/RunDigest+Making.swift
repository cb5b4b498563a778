import Foundation

extension FlowReport {
  /// Made on each access.
  package var digest: RunDigest { digest(adding: [], hiding: secrets) }

  fileprivate func digest(adding notes: [FlowEvent], hiding secrets: SecretTexts) -> RunDigest {
    RunDigest(
      plainFlowName, facts, log.events + notes, itemFailures: itemFailures, duration: duration, log, hiding: secrets)
  }
}

extension FlowRun {
  /// Made on each access, also while the run is under way.
  package var digest: RunDigest { digest(adding: EventLog()) }

  /// The same with notes that come after the events of the run.
  func digest(adding notes: EventLog) -> RunDigest {
    let log = recorder.log
    // A name may have been marked as sensitive since the run's end.
    let report = currentOutcome?.report.with(log).hidingSecrets
    var secrets = report?.secrets ?? secrets
    notes.insertSecrets(into: &secrets)
    if let report { return report.digest(adding: notes.events, hiding: secrets) }
    let facts = facts.hiding(log.hidden, log.shownPaths, secrets)
    return RunDigest(flowName, facts, log.events + notes.events, log, hiding: secrets)
  }
}

extension RunDigest {
  /// A run has ended if its last event is there, or its duration is known.
  convenience init(
    _ flowName: String, _ facts: RunFacts, _ events: [FlowEvent], itemFailures: [FlowItemFailure] = [],
    duration: Duration? = nil, _ log: EventLog? = nil, hiding secrets: SecretTexts
  ) {
    var events = events
    for index in events.indices { events[index].roundToMicroseconds() }
    let ending = facts.digestEnding(events, duration: duration, hiding: secrets)
    let steps = facts.digestSteps(events, hasEnded: ending != nil, hiding: secrets)
    if !secrets.isEmpty {
      let paths = steps.reduce(into: [FlowPath?](repeating: nil, count: steps.count)) { $0[$1.id] = $1.path }
      events = events.map { event in
        event.scrubbing(secrets, path: event.step.flatMap { paths.indices.contains($0) ? paths[$0] : nil })
      }
    }
    self.init(
      runID: log?.identity?.runIdentifier, flowName: secrets.scrubbing(ValueText.cut(flowName)), steps: steps,
      events: events,
      itemFailures: itemFailures.prefix(FlowItemFailure.describedCount).map { failure in
        (
          name: secrets.scrubbing(failure.name), step: failure.path?.node, index: failure.index,
          input: secrets.scrubbing(failure.inputText), error: secrets.scrubbing(failure.errorText),
          attempt: failure.attempt
        )
      }, ending: ending)
  }
}

extension RunFacts {
  /// The steps and branches with what became of them; what is running is known from the events.
  fileprivate func digestSteps(_ events: [FlowEvent], hasEnded: Bool, hiding secrets: SecretTexts) -> [RunDigest.Step] {
    guard let table else { return [] }
    let paths = table.paths.scrubbing(secrets)
    let states = StepStates(self, table)
    let started = hasEnded ? nil : Set(events.compactMap { $0.kind == .started ? $0.step : nil })
    let followUps = followUps
    return paths.outermostFirst.map { node in
      let isBranch = paths.isBranch(node)
      let fact = isBranch ? StepFact() : steps[node]
      let ports = isBranch ? nil : table.ports[node]
      let kind = isBranch ? nil : table.kind(of: node)
      let stopText = if case .group(_, let tolerance, _)? = kind { tolerance.stopText } else { String?.none }
      let state = states.state(of: node, started: started)
      return RunDigest.Step(
        id: node, parent: paths.parent(of: node), name: paths.name(of: node),
        number: paths.number(of: node), kind: kind, stopText: stopText,
        path: paths.path(of: node) ?? "",
        inputs: ports?.allInputs.map { secrets.scrubbing($0.name) } ?? [],
        outputs: ports?.outputs.map { secrets.scrubbing($0.name) } ?? [],
        options: isBranch ? [] : table.marks(of: node), state: state,
        duration: hasEnded || fact.state != .running ? duration(of: fact)?.inMicroseconds : nil,
        beforeResume: beforeResume(of: fact), attempts: max(fact.attempts, state == .running && !isBranch ? 1 : 0),
        items: items[node]?.counts, followUps: followUps[node] ?? FollowUps())
    }
  }

  fileprivate func digestEnding(
    _ events: [FlowEvent], duration: Duration?, hiding secrets: SecretTexts
  ) -> RunDigest.Ending? {
    // Notes of the flow may come after the run's last event, which is missing if an earlier process has ended the run.
    let last = events.last { if case .flowFinished = $0.kind { true } else { false } }
    let time = last.map { Duration.seconds($0.time.timeIntervalSince(events.first?.time ?? $0.time)) }
    guard let duration = duration ?? time else { return nil }
    let result = failure != nil ? RunDigest.Result.failed : decision == nil ? .succeeded : .cancelled
    return (result, duration.inMicroseconds, secrets.scrubbing(endText), failure?.digest(hiding: secrets))
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
  fileprivate func digest(hiding secrets: SecretTexts) -> RunDigest.Failure {
    let error = failure as? FlowError
    // A flow that is refused has not reached the step that it is refused for.
    let name = (isRefusal ? error?.step : nil) ?? name
    let problem = error.map { ValueText.cut($0.problem, limit: isRefusal ? 8_000 : ValueText.limit) } ?? failureText
    return (
      secrets.scrubbing(name), step, item, attempt, secrets.scrubbing(problem),
      error.map { secrets.scrubbing(ValueText.cut($0.remedy)) }, isRefusal
    )
  }
}
