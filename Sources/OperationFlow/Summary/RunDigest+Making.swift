import Foundation

extension FlowReport {
  /// The digest of the run, without secrets; made on each access.
  package var digest: RunDigest { digest(adding: [], hiding: log.secrets(among: data, facts)) }

  fileprivate func digest(adding notes: [FlowEvent], hiding secrets: SecretTexts) -> RunDigest {
    var secrets = secrets
    for failure in itemFailures where failure.isInputSensitive { secrets.insert(value: failure.input) }
    return RunDigest(
      flowName, facts, events + notes, itemFailures: itemFailures, duration: duration, log, hiding: secrets)
  }
}

extension FlowRun {
  /// The digest of the run until now, without secrets; made on each access.
  package var digest: RunDigest { digest(adding: EventLog()) }

  /// The same with notes that come after the events of the run.
  func digest(adding notes: EventLog) -> RunDigest {
    let (log, events) = (recorder.log, notes.events)
    var secrets = secrets
    _ = notes.insertSecrets(into: &secrets)
    // A name may have been marked as sensitive since the run's end.
    if let report = currentOutcome?.report {
      return report.with(log).hidingSecrets.digest(adding: events, hiding: secrets)
    }
    let facts = facts.hiding(log.hidden, log.shownPaths)
    return RunDigest(flowName, facts, log.events + events, log, hiding: secrets)
  }
}

extension RunDigest {
  /// Makes a digest from what is known of a run, which has ended if its last event is there, or its duration is known.
  convenience init(
    _ flowName: String, _ facts: RunFacts, _ events: [FlowEvent], itemFailures: [FlowItemFailure] = [],
    duration: Duration? = nil, _ log: EventLog? = nil, hiding secrets: SecretTexts
  ) {
    var events = events.map(\.rounded)
    let ending = Ending(facts, events, duration: duration, hiding: secrets)
    let steps = facts.digestSteps(events, hasEnded: ending != nil, hiding: secrets)
    if !secrets.isEmpty {
      var paths = [FlowPath?](repeating: nil, count: steps.count)
      for step in steps { paths[step.id] = step.path }
      events = events.map { event in
        event.scrubbing(secrets, path: event.step.flatMap { paths.indices.contains($0) ? paths[$0] : nil })
      }
    }
    self.init(
      runID: log?.identity?.runIdentifier, flowName: secrets.scrubbing(ValueText.cut(flowName)), steps: steps,
      events: events,
      itemFailures: itemFailures.prefix(FlowItemFailure.describedCount).map { failure in
        ItemFailure(
          name: secrets.scrubbing(failure.name), step: failure.path?.node, index: failure.index,
          input: secrets.scrubbing(failure.inputText), error: secrets.scrubbing(failure.errorText),
          attempt: failure.attempt)
      }, ending: ending)
  }
}

extension RunDigest.Ending {
  /// How a run ended; `nil` if it has not.
  fileprivate convenience init?(
    _ facts: RunFacts, _ events: [FlowEvent], duration: Duration?, hiding secrets: SecretTexts
  ) {
    // Notes of the flow may come after the run's last event, which is missing if an earlier process has ended the run.
    let last = events.last { if case .flowFinished = $0.kind { true } else { false } }
    let time = last.map { Duration.seconds($0.date.timeIntervalSince(events.first?.date ?? $0.date)) }
    guard let duration = duration ?? time else { return nil }
    let failure = facts.failure.map { RunDigest.Failure($0, hiding: secrets) }
    self.init(
      result: failure != nil ? .failed : facts.decision == nil ? .succeeded : .cancelled,
      duration: duration.inMicroseconds, text: secrets.scrubbing(facts.endText), failure: failure)
  }
}

extension RunDigest.Failure {
  fileprivate convenience init(_ failure: ReportedWork, hiding secrets: SecretTexts) {
    let error = failure.failure as? FlowError
    // A flow that is refused has not reached the step that it is refused for.
    let name = (failure.isRefusal ? error?.step : nil) ?? failure.name
    let problem = error.map { ValueText.cut($0.problem, limit: failure.isRefusal ? 8_000 : ValueText.limit) }
    self.init(
      name: secrets.scrubbing(name), step: failure.step, item: failure.item, attempt: failure.attempt,
      problem: secrets.scrubbing(problem ?? failure.errorText ?? ValueText.describe(error: failure.failure)),
      remedy: error.map { secrets.scrubbing(ValueText.cut($0.remedy)) }, isRefusal: failure.isRefusal)
  }
}

extension RunFacts {
  /// The steps and branches with what became of them; what is running is known from the events.
  fileprivate func digestSteps(_ events: [FlowEvent], hasEnded: Bool, hiding secrets: SecretTexts) -> [RunDigest.Step] {
    guard let table else { return [] }
    let (paths, states) = (table.paths, StepStates(self, table))
    // A step of one piece of work is only noted at its end, so what has begun is known from its event.
    let started = hasEnded ? [] : Set(events.compactMap { $0.kind == .started ? $0.step : nil })
    // The flows and branches with steps of their own that have neither succeeded nor been skipped.
    var unfinished: Set<Int> = []
    for step in steps.indices where steps[step].state != .succeeded && steps[step].state != .skipped {
      if let parent = paths.parent(of: step) { unfinished.insert(parent) }
    }
    return paths.outermostFirst.map { node in
      let isBranch = paths.isBranch(node)
      let fact = isBranch ? StepFact() : steps[node]
      let (ports, kind): (StepPorts?, FlowStepKind?) = isBranch ? (nil, nil) : (table.ports[node], table.kind(of: node))
      let stopText = if case .group(_, let tolerance, _)? = kind { tolerance.stopText } else { String?.none }
      let state =
        isBranch
        ? branchState(node, table, states, unfinished, hasEnded: hasEnded)
        : stepState(node, states, hasStarted: started.contains(node), hasEnded: hasEnded)
      return RunDigest.Step(
        id: node, parent: paths.parent(of: node), name: secrets.scrubbing(paths.name(of: node)),
        number: paths.number(of: node), kind: kind, stopText: stopText,
        path: (paths.path(of: node) ?? "").scrubbing(secrets),
        inputs: ports?.allInputs.map { secrets.scrubbing($0.name) } ?? [],
        outputs: ports?.outputs.map { secrets.scrubbing($0.name) } ?? [],
        options: isBranch ? [] : table.marks(of: node), state: state,
        duration: hasEnded || fact.state != .running ? duration(of: fact)?.inMicroseconds : nil,
        beforeResume: beforeResume(of: fact),
        attempts: state == .running && !isBranch ? max(fact.attempts, 1) : fact.attempts,
        items: items[node]?.counts)
    }
  }

  private func stepState(_ step: Int, _ states: StepStates, hasStarted: Bool, hasEnded: Bool) -> StepState {
    let state = hasEnded ? endState(of: step, states) : steps[step].state
    guard state == .waiting else { return state }
    if hasStarted { return .running }
    if case .branch? = states.absence(of: step) { return .skipped }
    return .waiting
  }

  /// What became of a branch: whether it was taken, or for a parallel step, what became of that step.
  private func branchState(
    _ node: Int, _ table: BlueprintFacts, _ states: StepStates, _ unfinished: Set<Int>, hasEnded: Bool
  ) -> StepState {
    guard let owner = table.paths.parent(of: node), hasBegun(owner) else { return hasEnded ? .neverRan : .waiting }
    let fact = steps[owner]
    if wasSkipped(owner) { return .skipped }
    let isOfCases = table.kind(of: owner) == .cases
    // What is within a branch of cases is all that is within the cases.
    let isTaken = isOfCases && states.branchIndices[node] == Int(fact.branch)
    if isOfCases, !isTaken, fact.branch >= 0 { return .skipped }
    switch fact.state {
    case .succeeded: return isOfCases && !isTaken ? .skipped : .succeeded
    case .running where !hasEnded: return isOfCases && !isTaken ? .waiting : .running
    case .failed where isTaken: return .failed
    case .running, .failed, .cancelled, .waiting, .skipped, .neverRan:
      // Cases that have chosen no branch have run none; parallel branches end like what is in them.
      if isOfCases, !isTaken { return .neverRan }
      if failureOfOpen(node) != nil { return .failed }
      return isOfCases || unfinished.contains(node) ? .cancelled : .succeeded
    }
  }
}
