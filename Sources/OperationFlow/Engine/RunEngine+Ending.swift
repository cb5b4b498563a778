import Foundation

extension RunEngine {
  /// Ends the run once everything that was started has settled, and notifies everything that waits.
  func finish(_ ticket: WorkTicket) {
    if refusal == nil { blueprint.discardInstances(bucket) }
    if blueprint.keepsResults { writeResultsOfStoppedGroups() }
    if blueprint.handsOnResults { blueprint.finishOutlets(isReserved: refusal == nil) }
    let (decided, open, facts) = state.withLock { ($0.machine.ending, $0.machine.openSteps, $0.facts) }
    // A deadline is over at no particular step, so its error has no place yet.
    let ending = (decided ?? .succeeded).located(flow: flowName)
    for step in open {
      // A step beside the one that failed was only cut off.
      let end = facts.endOfOpen(step) == .failed ? ending : .cancelled
      let source = FlowEvent.Source(blueprint.steps[step].name, step: step).failing(.passedOn)
      recorder.record(located(end, source).recorded(FlowEvent.Kind.finished), source: source)
    }
    let end = ending.recorded { [items = bucket.listing()] in .flowFinished($0, items) }
    recorder.seal(with: end, source: .dataBucket) {
      // Code that knows about the end also sees it in the progress.
      guard let progress = self.state.withLock({ $0.progress }) else { return self.announce(ending, ticket) }
      progress.whenApplied { self.announce(ending, ticket) }
    }
  }

  /// Notifies those who wait for the outcome, after every observer has been told of the end.
  private func announce(_ ending: Settlement, _ ticket: WorkTicket) {
    if blueprint.hasLimits { forgetSetAside() }
    let (data, log) = (bucket.values, recorder.log)
    let report = state.withLock { $0.report(flowName, data, log, dates) }.hidingSecrets
    let outcome =
      switch ending.hiding(log.hidden, log.shownPaths) {
      case .succeeded: FlowOutcome.succeeded(report)
      case .failed(let error): FlowOutcome.failed(error, report)
      case .cancelled: FlowOutcome.cancelled(report)
      }
    guard let journal else { return resolve(outcome, ending, ticket) }
    journal.end(durableEnding(outcome, journal)) { failure in
      self.resolve(self.outcome(outcome, after: failure, of: journal), ending, ticket)
    }
  }

  /// The outcome of a run whose journal may have failed when it was too late to stop the run.
  private func outcome(_ outcome: FlowOutcome, after failure: (any Error)?, of journal: RunJournal) -> FlowOutcome {
    guard let failure else { return outcome }
    let (report, error) = (outcome.report, FlowError.storeError(failure))
    if journal.durability.journalFailure == .fail {
      return outcome.isSuccess ? .failed(report, with: error.located(flow: flowName, step: nil)) : outcome
    }
    let warning = "ends without its journal, which can't be written: \(ValueText.describe(error: failure))"
    return outcome.with(report.warning(warning, source, at: dates.now))
  }

  private func resolve(_ outcome: FlowOutcome, _ ending: Settlement, _ ticket: WorkTicket) {
    // What is freed may use the run, so it isn't freed under the lock.
    let (announcement, _, _, timers) = state.withLock { state in
      _ = state.machine.settle(ticket, .settled(ending))
      defer { (state.paused, state.timers) = (nil, nil) }
      return (
        state.outcome.resolve(outcome, state.progress), state.groups.removeAll(), state.undoables.removeAll(),
        state.timers
      )
    }
    timers?.stopAll()
    announcement.make()
  }
}
