import Foundation

extension RunState {
  /// Makes the claim of work that a lane begins with, and notes a step that begins with it.
  mutating func begin(_ offer: RunOffer, attempt: Int, hasTimes: Bool, at moment: RunMoment) -> Claim {
    let claim = Claim(offer.ticket, offer.work, attempt: attempt, at: moment.time)
    claims.insert(claim)
    if offer.attempt > 1, offer.work.kind == .item { noteRetry(offer) }
    guard offer.work.beginsStep, let step = offer.work.step else { return claim }
    if offer.work.kind != .step || hasTimes || offer.attempt > 1 {
      facts.open(step, attempt: offer.attempt, at: moment.seconds)
    }
    return claim
  }

  private func noteRetry(_ offer: RunOffer) {
    if let step = offer.work.step { groups[step]?.noteRetry(offer.attempt) }
  }

  mutating func noteEnd(of work: RunWork, _ end: borrowing WorkEnd) {
    guard let step = work.step else { return }
    let moment = end.moment
    switch (work.kind, end.result) {
    case (.item, _), (.handOn, _), (.undo, _): return
    case (.recover, _), (.expire, _): if work.item != nil { return }
    // What it belongs to begins only now, or continues.
    case (.check, .settled(.succeeded)), (.pull, .pulled): return
    case (.check, .skipped):
      facts.steps[step].state = .skipped
      return
    // Its end is that of what has stopped it.
    case (.pull, _) where end.wasStopped: return
    case (.choose, .chosen(nil)): break
    case (.choose, _), (.enter, _), (.plan, _):
      if end.result.end != nil { break }
      // It continues, unless it is cut off before anything within it has begun.
      guard end.wasStopped else { return }
      return facts.close(step, .cancelled, began: end.began, at: moment.seconds)
    default: break
    }
    let state = end.result.end.map { StepState($0) } ?? .succeeded
    facts.close(step, state, began: end.began, at: moment.seconds)
  }

  /// A piece of work that has ended, as it was before that counts.
  struct EndedWork: Sendable {
    /// `nil` if its end doesn't count any more.
    let work: RunWork?
    /// The error of its timeout, if it has taken too long.
    let timeout: FlowError?
    /// True if nothing waits for it any longer.
    let wasAbandoned: Bool
  }

  /// Notes that work has ended, before that counts, so that no timer has an effect on it.
  mutating func noteEnd(of ticket: WorkTicket) -> EndedWork {
    let work = machine.work(of: ticket)
    let timeout = machine.noteEnd(of: ticket)
    // A recovery isn't timed, though the attempt before it may have been.
    let isTimed = work.map { $0.isAttempt || $0.kind == .undo } ?? false
    return EndedWork(
      work: work, timeout: isTimed ? timeout : nil,
      wasAbandoned: work == nil && machine.abandoned.contains(ticket))
  }

  /// Stores the next item of a group; `nil` if there are no more.
  mutating func noteItem(_ item: (any Sendable)?, of work: RunWork, _ end: borrowing WorkEnd) {
    guard let step = work.step else { return }
    if let item {
      groups[step]?.append(item)
    } else if !end.wasStopped {
      // A sequence also ends when the task that waits for its next element is cancelled: that is no end of its own.
      groups[step]?.isReadToEnd = true
    }
  }

  /// Keeps what is needed of an attempt that has failed and is followed by something.
  mutating func noteAttempt(
    at work: RunWork, _ source: FlowEvent.Source, _ errorText: String?, recovers: Bool, began: Double
  ) {
    if let index = work.item, let step = work.step { groups[step]?.noteAttempt(index) }
    let plan = work.step.flatMap { machine.blueprint.steps[$0].options?.attempts }
    if recovers || plan?.totalTimeout != nil {
      rareOrNew.remains[work.attemptedWork] = WorkRemains(name: source.name, errorText: errorText)
    }
    if work.kind == .step, let step = work.step { facts.open(step, attempt: source.attempt, at: began) }
  }

  /// Notes what the work that has just settled has decided: the run's end, if that is no success, or that of the steps
  /// that always run.
  mutating func noteDecision(
    by work: RunWork, _ end: borrowing WorkEnd
  ) {
    let step = work.step
    let closingFailure = machine.closing.failure.take()
    guard let ending = machine.ending, !ending.isSuccess, closingFailure != nil || !facts.isDecided else { return }
    let isLate = work.kind == .pull && end.result.pulledItem != nil
    let source = end.source ?? step.map { FlowEvent.Source(machine.blueprint.steps[$0].name, step: $0) }
    let path = step.flatMap { facts.table?.paths.path(of: $0) }
    if let closingFailure, let source {
      facts.note(
        ReportedWork(
          .alwaysFailure, source.description, path, item: work.item, closingFailure.error ?? FlowError.cancellation,
          text: end.errorText, step: step))
    }
    if facts.isDecided { return }
    // The end of a sequence has shown that too many of its items had failed: the last of these has decided the end.
    if isLate, case .failed(let error) = ending, let path,
      let item = itemFailures.last(where: { $0.path == path })
    {
      let failed = ReportedWork(
        .failure, item.name, path, item: item.index, attempt: item.attempt, error, text: item.texts?.error, step: step)
      return facts.decide(.failed(failed))
    }
    switch ending {
    case .succeeded: break
    case .cancelled: facts.decide(.cancelled(.step(name: source?.description ?? "", path: path, item: work.item)))
    case .failed(let error):
      let seconds = isReplaying ? 0 : max(0, end.moment.seconds - end.began)
      let failed = ReportedWork(
        .failure, source?.description ?? "", path, item: work.item, attempt: source?.attempt ?? 1,
        after: .seconds(seconds), error, text: end.errorText, step: step)
      facts.decide(.failed(failed))
    }
  }

  /// Removes and returns a group that is at its end, and keeps what became of its items.
  mutating func endGroup(_ step: Blueprint.StepID) -> GroupRun? {
    let group = groups.end(step)
    if let group { facts.keep(ItemFacts(group.itemCounts(), group.retries), of: step) }
    return group
  }

  /// What is known about the run now, with the groups at work.
  var currentFacts: RunFacts {
    var facts = facts
    for (step, group) in groups.all {
      let counts = group.itemCounts(isStopping: machine.isStopping)
      facts.keep(ItemFacts(counts, group.retries, group.outputs, named: group.step.output?.name), of: step)
    }
    return facts
  }
}
