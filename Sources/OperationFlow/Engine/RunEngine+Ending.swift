import Foundation

extension RunEngine {
  /// Ends the run once everything that was started has settled, and notifies everything that waits.
  func finish(_ ticket: WorkTicket) {
    if refusal == nil, !blueprint.instanceSteps.isEmpty { blueprint.discardInstances(bucket) }
    if blueprint.has(.keptResults) { writeResultsOfStoppedGroups() }
    // A deadline is over at no particular step, so its error has no place yet.
    let ending = (state.withLock { $0.machine.ending } ?? .succeeded).located(flow: flowName)
    let values = bucket.describedEntries()
    guard let keeper else {
      if let warning = waits?.warningAtEnd { warn(warning) }
      return seal(ending, values, nil, ticket)
    }
    // The keeper comes first, so that the record says what the outcome says if its last entry can't be written.
    let now = dates.now
    let (report, _) = currentReport(values, at: now)
    keeper.end(outcome(ending, report.hiding(SecretTexts())), at: now.date, warn: { self.warn($0) }) { failure in
      guard let failure else { return self.seal(ending, values, report, ticket) }
      // Undos and what always runs are left to the resume, so the run isn't over, whatever had been decided.
      let error = failure.located(flow: self.flowName, step: nil)
      var facts = report.facts
      facts.journalFailed(error, flowName: self.flowName)
      self.seal(.failed(error), values, report.with(report.log, facts), ticket)
    }
  }

  /// Closes the record with how the run has ended, of which those who wait are then notified.
  private func seal(
    _ ending: Settlement, _ values: [String: RecordedValue], _ report: FlowReport?, _ ticket: WorkTicket
  ) {
    let text = ending.isSuccess ? nil : (report?.facts ?? facts).failure?.errorText
    let end = RecordedKind.keyed(RedactableTexts(ofRun: ending.recorded(as: text), values))
    let now = dates.now
    if recorder.sealUnheard(with: end, at: now) { return announce(ending, values, report, ticket, at: now) }
    recorder.seal(with: end, at: now) { self.announce(ending, values, report, ticket, at: now) }
  }

  /// Notifies those who wait for the outcome, after every observer has been told of the end.
  private func announce(
    _ ending: Settlement, _ values: [String: RecordedValue], _ report: FlowReport?, _ ticket: WorkTicket,
    at moment: RunMoment
  ) {
    let (current, progress) = currentReport(values, at: moment)
    let outcome = outcome(ending, (report?.with(current.log) ?? current).hidingSecrets)
    guard let follower = progress?.follower else { return resolve(outcome, ending, ticket) }
    // Code that knows about the end also sees it in the progress.
    follower.whenApplied { self.resolve(outcome, ending, ticket) }
  }

  var facts: RunFacts { state.withLock { $0.currentFacts } }

  /// What is known about the run now, and its progress, if that was asked for.
  private func currentReport(_ values: [String: RecordedValue], at moment: RunMoment) -> (FlowReport, RunProgress?) {
    let log = recorder.log
    let elapsed = dates.elapsed
    return state.withLock { state in
      var facts = state.currentFacts
      facts.end(at: moment)
      let contents = FlowReport.Contents(
        flowName: flowName, duration: state.beganAt.map { elapsed - $0 } ?? .zero,
        stepCount: state.machine.stepCount, itemFailures: state.itemFailures, values: values, log: log, facts: facts)
      return (FlowReport(contents), state.progress)
    }
  }

  private func outcome(_ ending: Settlement, _ report: FlowReport) -> FlowOutcome {
    switch ending {
    case .succeeded: return .succeeded(report)
    case .cancelled: return .cancelled(report)
    case .failed(let error): return .failed(report.shown(error), report)
    }
  }

  private func resolve(_ outcome: FlowOutcome, _ ending: Settlement, _ ticket: WorkTicket) {
    // What is freed may use the run, so it isn't freed under the lock.
    let (waiting, handle, isPlain, _) = state.withLock { state in
      _ = state.machine.settle(ticket, .settled(ending))
      state.paused = nil
      let groups = exchange(&state.groups, with: GroupRuns())
      return (state.outcome.resolve(outcome), state.handle.take(), state.rare == nil, groups)
    }
    if isPlain { return waiting.announce(outcome, handle) }
    let rare = state.withLock { $0.rare?.end() }
    rare?.timers?.stopAll()
    for watch in rare?.signalWatches ?? [] { SignalWatch.shared.remove(watch) }
    waiting.announce(outcome, handle)
  }
}
