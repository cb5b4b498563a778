import Foundation

extension FlowReport {
  /// The digest of the run, without secrets; made on each access.
  package var digest: RunDigest { digest(adding: [], hiding: log.secrets(among: data, facts)) }

  /// The same with events that come after those of the run.
  fileprivate func digest(adding notes: [FlowEvent], hiding secrets: SecretTexts) -> RunDigest {
    var secrets = secrets
    for failure in itemFailures where failure.isInputSensitive { secrets.insert(value: failure.input) }
    return RunDigest(
      flowName, facts, events + notes, itemFailures: itemFailures, duration: duration, log, hiding: secrets)
  }
}

extension FlowRun {
  /// The digest of the run until now, without secrets; made on each access.
  package var digest: RunDigest {
    if let report = currentOutcome?.report { return report.digest }
    return digest(adding: nil)
  }

  /// The same with notes that come after the events of the run.
  func digest(adding notes: EventLog?) -> RunDigest {
    let (log, events) = (recorder.log, notes?.events ?? [])
    var secrets = secrets
    if let notes { _ = notes.insertSecrets(into: &secrets) }
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
  init(
    _ flowName: String, _ facts: RunFacts, _ events: [FlowEvent], itemFailures: [FlowItemFailure] = [],
    duration: Duration? = nil, _ log: EventLog? = nil, hiding secrets: SecretTexts
  ) {
    let events = events.map(\.rounded)
    let ending = Ending(facts, events, duration: duration, hiding: secrets)
    self.init(
      runID: log?.identity?.runIdentifier.description, flowName: secrets.scrubbing(ValueText.cut(flowName)),
      steps: facts.recordedSteps(events, hasEnded: ending != nil, hiding: secrets), events: events,
      itemFailures: itemFailures.prefix(FlowItemFailure.describedCount).map { ItemFailure($0, hiding: secrets) },
      ending: ending)
    if !secrets.isEmpty {
      self.events = events.map { $0.scrubbing(secrets, path: $0.step.flatMap(step)?.path) }
    }
  }
}

extension RunDigest.ItemFailure {
  fileprivate init(_ failure: FlowItemFailure, hiding secrets: SecretTexts) {
    self.init(
      name: secrets.scrubbing(failure.name), step: failure.path?.node, index: failure.index,
      input: secrets.scrubbing(failure.inputText), error: secrets.scrubbing(failure.errorText),
      attempt: failure.attempt)
  }
}

extension RunDigest.Ending {
  /// How a run ended; `nil` if it has not.
  fileprivate init?(_ facts: RunFacts, _ events: [FlowEvent], duration: Duration?, hiding secrets: SecretTexts) {
    // Notes of the flow may come after the run's last event, which is missing if an earlier process has ended the run.
    let last = events.last { if case .flowFinished = $0.kind { true } else { false } }
    let time = last.map { Duration.seconds($0.date.timeIntervalSince(events.first?.date ?? $0.date)) }
    guard let duration = duration ?? time else { return nil }
    self.init(
      result: last?.kind.result ?? facts.decision.result, duration: duration.inMicroseconds,
      text: secrets.scrubbing(facts.endText),
      failure: facts.decision?.failure.map { RunDigest.Failure($0, hiding: secrets) })
  }
}

extension FlowEvent.Kind {
  /// How the run ended that ended with it; `nil` for other events.
  fileprivate var result: StepState? {
    guard case .flowFinished(let finish, _) = self else { return nil }
    return switch finish {
    case .successfully: .succeeded
    case .cancelled: .cancelled
    case .withError, .withInsufficientInputData, .withMismatchInputDataType: .failed
    }
  }
}

extension RunDecision? {
  fileprivate var result: StepState {
    switch self {
    case nil: .succeeded
    case .failed, .journalFailed: .failed
    case .cancelled: .cancelled
    }
  }
}

extension RunDigest.Failure {
  fileprivate init(_ failure: FlowReport.Failure, hiding secrets: SecretTexts) {
    let error = failure.error as? FlowError
    // A flow that is refused has not reached the step that it is refused for.
    let name = (failure.isRefusal ? error?.step : nil) ?? failure.name
    let problem = error.map { ValueText.cut($0.problem, limit: failure.isRefusal ? 8_000 : ValueText.limit) }
    self.init(
      name: secrets.scrubbing(name), step: failure.step, item: failure.item, attempt: failure.attempt,
      problem: secrets.scrubbing(problem ?? failure.errorText ?? ValueText.describe(error: failure.error)),
      remedy: error.map { secrets.scrubbing(ValueText.cut($0.remedy)) }, isRefusal: failure.isRefusal)
  }
}

extension RunFacts {
  /// The steps and branches with what became of them; what is running is known from the events.
  fileprivate func recordedSteps(
    _ events: [FlowEvent], hasEnded: Bool, hiding secrets: SecretTexts
  ) -> [RunDigest.Step] {
    guard let table else { return [] }
    var states = StepStates(self, table)
    // A step of one piece of work is only noted at its end, so what has begun is known from its event.
    let started = hasEnded ? [] : Set(events.compactMap { $0.kind == .started ? $0.step : nil })
    let unfinished = unfinishedNodes(table)
    return table.paths.outermostFirst.map { node in
      var step =
        table.paths.isBranch(node)
        ? recordedBranch(node, table, states, unfinished, hasEnded: hasEnded)
        : recordedStep(node, table, &states, started: started, hasEnded: hasEnded)
      if !secrets.isEmpty {
        (step.name, step.path) = (secrets.scrubbing(step.name), step.path.scrubbing(secrets))
        (step.inputs, step.outputs) = (step.inputs.map(secrets.scrubbing), step.outputs.map(secrets.scrubbing))
      }
      return step
    }
  }

  private func recordedStep(
    _ node: Int, _ table: StepTable, _ states: inout StepStates, started: Set<Int>, hasEnded: Bool
  ) -> RunDigest.Step {
    let (fact, ports) = (steps[node], table.ports[node])
    var state = hasEnded ? endState(of: node, &states) : fact.state
    if state == .waiting {
      if started.contains(node) {
        state = .running
      } else if case .branch? = states.absence(of: node) {
        state = .skipped
      }
    }
    return RunDigest.Step(
      id: node, parent: table.paths.parent(of: node), name: table.paths.name(of: node),
      number: table.paths.number(of: node), kind: RunDigest.Kind(table.kinds[node]),
      path: table.paths.path(of: node) ?? "", inputs: ports.allInputs.map(\.name), outputs: ports.outputs.map(\.name),
      options: table.marks[node], state: state,
      duration: hasEnded || fact.state != .running ? duration(of: fact)?.inMicroseconds : nil,
      beforeResume: beforeResume(of: fact)?.inMicroseconds,
      attempts: state == .running ? max(fact.attempts, 1) : fact.attempts, items: items[node].map(RunDigest.Items.init))
  }

  /// The flows and branches with steps of their own that have neither succeeded nor been skipped.
  private func unfinishedNodes(_ table: StepTable) -> Set<Int> {
    Set(
      steps.indices.lazy.filter { steps[$0].state != .succeeded && steps[$0].state != .skipped }
        .compactMap { table.paths.parent(of: $0) })
  }

  private func recordedBranch(
    _ node: Int, _ table: StepTable, _ states: StepStates, _ unfinished: Set<Int>, hasEnded: Bool
  ) -> RunDigest.Step {
    RunDigest.Step(
      id: node, parent: table.paths.parent(of: node), name: table.paths.name(of: node), number: nil, kind: .branch,
      path: table.paths.path(of: node) ?? "", state: branchState(node, table, states, unfinished, hasEnded: hasEnded))
  }

  /// What became of a branch: whether it was taken, or for a parallel step, what became of that step.
  private func branchState(
    _ node: Int, _ table: StepTable, _ states: StepStates, _ unfinished: Set<Int>, hasEnded: Bool
  ) -> StepState {
    guard let owner = table.paths.parent(of: node) else { return hasEnded ? .neverRan : .waiting }
    let fact = steps[owner]
    guard hasBegun(owner) else { return hasEnded ? .neverRan : .waiting }
    if wasSkipped(owner) { return .skipped }
    let isOfCases = table.kinds[owner] == .cases
    // What is within a branch of cases is all that is within the cases.
    let isTaken = isOfCases && states.branchIndex(of: node) == Int(fact.branch)
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

extension RunDigest.Kind {
  fileprivate init(_ kind: FlowStepKind) {
    switch kind {
    case .operation(let type): self = .operation(type: type)
    case .closure: self = .closure
    case .group(let width, let tolerance, _): self = .group(width: width, stopText: tolerance.stopText)
    case .cases: self = .cases
    case .flow: self = .flow
    case .parallel: self = .parallel
    case .always: self = .always
    }
  }
}

extension FlowReport.BeforeResume {
  /// The same with a date that survives being written and read.
  fileprivate var inMicroseconds: Self {
    guard case .ended(let date?) = self else { return self }
    return .ended(Date(microseconds: date.microseconds))
  }
}
