import Foundation

/// A run as texts without secrets; the source of all summaries and of the public record, so that they agree.
///
/// Times are rounded to microseconds, so that they are equal after being saved and read.
package final class RunDigest: Sendable {
  package let runID: String?
  package let flowName: String
  /// The steps, each before those within it; branches have entries of their own.
  package let steps: [Step]
  package let events: [FlowEvent]
  /// The first items that failed; the steps' counts include all of them.
  package let itemFailures: [ItemFailure]
  /// The end of the run; `nil` while the run is under way.
  package let ending: Ending?
  /// The index of the step with each number; of steps with the same number, the first one.
  let places: [Int: Int]

  package init(
    runID: String?, flowName: String, steps: [Step], events: [FlowEvent], itemFailures: [ItemFailure], ending: Ending?
  ) {
    self.runID = runID
    self.flowName = flowName
    self.steps = steps
    self.events = events
    self.itemFailures = itemFailures
    self.ending = ending
    places = steps.indices.reversed().reduce(into: [:]) { $0[steps[$1].id] = $1 }
  }

  /// True if the run had ended before it was started again: it has no events, and each step that began had ended.
  package var hadEnded: Bool {
    ending != nil && events.isEmpty && steps.allSatisfy { $0.attempts == 0 || $0.beforeResume != nil }
  }

  package func step(_ id: Int) -> Step? { places[id].map { steps[$0] } }

  /// An item of a group whose last attempt failed.
  package struct ItemFailure: Sendable {
    /// The name of the item, such as `[UploadOp #3]`.
    package let name: String
    /// The number of the group; `nil` if it isn't known.
    package let step: Int?
    package let index: Int
    package let input: String
    package let error: String
    package let attempt: Int

    package init(name: String, step: Int?, index: Int, input: String, error: String, attempt: Int) {
      self.name = name
      self.step = step
      self.index = index
      self.input = input
      self.error = error
      self.attempt = attempt
    }
  }

  package struct Ending: Sendable {
    package let result: Result
    package let duration: Duration
    /// The end of a summary's last line, after the result; it may contain any character.
    package let text: String
    package let failure: Failure?

    package init(result: Result, duration: Duration, text: String, failure: Failure?) {
      self.result = result
      self.duration = duration
      self.text = text
      self.failure = failure
    }
  }

  package enum Result: Sendable {
    case succeeded, failed, cancelled
  }

  /// The failure of a run: its place and its error.
  package struct Failure: Sendable {
    /// The name of the step or item, such as `[words #3]`.
    package let name: String
    /// The number of the step; `nil` if no step caused the failure.
    package let step: Int?
    package let item: Int?
    package let attempt: Int
    /// The text of the error, without its remedy.
    package let problem: String
    package let remedy: String?
    /// True if the flow was refused, so that none of its steps ran.
    package let isRefusal: Bool

    package init(
      name: String, step: Int?, item: Int?, attempt: Int, problem: String, remedy: String?, isRefusal: Bool
    ) {
      self.name = name
      self.step = step
      self.item = item
      self.attempt = attempt
      self.problem = problem
      self.remedy = remedy
      self.isRefusal = isRefusal
    }
  }

  /// A step of the flow, or a branch of one, with its state.
  package final class Step: Sendable {
    /// The step's number, which events refer to.
    package let id: Int
    /// The number of the step or branch that contains this one; `nil` at the outermost level.
    package let parent: Int?
    /// The name of the step; for a branch of cases, the condition.
    package let name: String
    /// The step's position among its siblings, counted from 1; `nil` for a branch.
    package let number: Int?
    /// The step's kind; `nil` for a branch, and in the digest of a record for any step but cases.
    package let kind: FlowStepKind?
    /// The text of a group's event if it stops; `nil` if it tolerates no failure, as in Flow-iOS.
    package let stopText: String?
    package let path: FlowPath
    /// The names of the values that the step declares to read.
    package let inputs: [String]
    /// The names of the values that the step declares to write.
    package let outputs: [String]
    package let options: StepMarks
    package let state: StepState
    /// The duration; `nil` if the step has not ended, or began before a resume.
    package let duration: Duration?
    package let beforeResume: FlowReport.BeforeResume?
    package let attempts: Int
    package let items: FlowReport.Items?
    /// The exact counts; `nil` if they aren't known, as in a record that an earlier version has saved.
    package let followUps: FollowUps?

    package init(
      id: Int, parent: Int?, name: String, number: Int?, kind: FlowStepKind?, stopText: String?, path: FlowPath,
      inputs: [String], outputs: [String] = [], options: StepMarks = [], state: StepState, duration: Duration?,
      beforeResume: FlowReport.BeforeResume?, attempts: Int, items: FlowReport.Items?, followUps: FollowUps? = nil
    ) {
      self.id = id
      self.parent = parent
      self.name = name
      self.number = number
      self.kind = kind
      self.stopText = stopText
      self.path = path
      self.inputs = inputs
      self.outputs = outputs
      self.options = options
      self.state = state
      self.duration = duration
      self.beforeResume = beforeResume
      self.attempts = attempts
      self.items = items
      self.followUps = followUps
    }
  }
}

/// The numbers of consequences of a step's or its items' failures, whatever the record contains.
package struct FollowUps: Sendable, Hashable {
  package var undone: Int
  package var notUndone: Int
  package var recovered: Int
  /// The number of items that were retried.
  package var retriedItems: Int
  /// The number of attempts of all items together.
  package var itemAttempts: Int

  package init(undone: Int = 0, notUndone: Int = 0, recovered: Int = 0, retriedItems: Int = 0, itemAttempts: Int = 0) {
    self.undone = undone
    self.notUndone = notUndone
    self.recovered = recovered
    self.retriedItems = retriedItems
    self.itemAttempts = itemAttempts
  }
}

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
  /// The digest of the report; created on each access.
  package var digest: RunDigest { digest(adding: [], hiding: secrets) }

  fileprivate func digest(adding notes: [FlowEvent], hiding secrets: SecretTexts) -> RunDigest {
    RunDigest(
      plainFlowName, facts, log.events + notes, itemFailures: itemFailures, duration: duration, log, hiding: secrets)
  }
}

extension FlowRun {
  /// The digest of the run, also while the run is under way; created on each access.
  package var digest: RunDigest { digest(adding: EventLog()) }

  /// Returns a digest that also has notes after the events of the run.
  func digest(adding notes: EventLog) -> RunDigest {
    let log = recorder.log
    // A name may have been marked as sensitive after the run's end.
    let report = currentOutcome?.report.with(log).hidingSecrets()
    var secrets = report?.secrets ?? secrets
    notes.insertSecrets(into: &secrets)
    if let report { return report.digest(adding: notes.events, hiding: secrets) }
    let facts = facts.hiding(log.hidden, log.shownPaths, secrets)
    return RunDigest(flowName, facts, log.events + notes.events, log, hiding: secrets)
  }
}

extension RunDigest {
  /// Creates a digest of a run, which has ended if its last event is there or its duration is known.
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
        ItemFailure(
          name: secrets.scrubbing(failure.name), step: failure.path?.node, index: failure.index,
          input: secrets.scrubbing(failure.inputText), error: secrets.scrubbing(failure.errorText),
          attempt: failure.attempt)
      }, ending: ending)
  }
}

extension RunFacts {
  /// Returns the steps and branches with their states; steps that run are found in the events.
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
    // Notes of the flow may follow the run's last event, which is missing if an earlier process ended the run.
    let last = events.last { if case .flowFinished = $0.kind { true } else { false } }
    let time = last.map { Duration.seconds($0.time.timeIntervalSince(events.first?.time ?? $0.time)) }
    guard let duration = duration ?? time else { return nil }
    let result = failure != nil ? RunDigest.Result.failed : decision == nil ? .succeeded : .cancelled
    return RunDigest.Ending(
      result: result, duration: duration.inMicroseconds, text: holdsNoTexts ? "" : secrets.scrubbing(endText),
      failure: failure?.digest(hiding: secrets))
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
    // A refused flow has not reached the step that caused the refusal.
    let name = (isRefusal ? error?.step : nil) ?? name
    let problem = error.map { ValueText.cut($0.problem, limit: isRefusal ? 8_000 : ValueText.limit) } ?? failureText
    return RunDigest.Failure(
      name: secrets.scrubbing(name), step: step, item: item, attempt: attempt, problem: secrets.scrubbing(problem),
      remedy: error.map { secrets.scrubbing(ValueText.cut($0.remedy)) }, isRefusal: isRefusal)
  }
}
