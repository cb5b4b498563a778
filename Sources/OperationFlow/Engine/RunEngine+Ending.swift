import Foundation

extension RunEngine {
  /// Ends the run once everything that was started has settled, and notifies everything that waits.
  func finish(_ ticket: WorkTicket) {
    if refusal == nil, !blueprint.instanceSteps.isEmpty { blueprint.discardInstances(bucket) }
    if blueprint.has(.keptResults) { writeResultsOfStoppedGroups() }
    // A deadline passes at no particular step, so its error has no location yet.
    let ending = (state.withLock { $0.machine.ending } ?? .succeeded).located(flow: flowName)
    let values = bucket.describedEntries()
    guard let keeper else {
      if let warning = waits?.warningAtEnd { warn(warning) }
      return seal(ending, values, nil, ticket)
    }
    // The keeper stores the end first, so that record and outcome agree if its last entry can't be written.
    let now = dates.now
    let (report, _) = currentReport(values, at: now)
    keeper.end(outcome(ending, report.hidingSecrets(SecretTexts())), at: now.date, warn: { self.warn($0) }) { failure in
      guard let failure else { return self.seal(ending, values, report, ticket) }
      // Undos and `always` steps are left to the resume, so the run isn't over, whatever was decided.
      let error = failure.located(flow: self.flowName, step: nil)
      var failed = report
      failed.facts.journalFailed(error, flowName: self.flowName)
      self.seal(.failed(error), values, failed, ticket)
    }
  }

  /// Closes the record with the end of the run, and then announces the outcome.
  private func seal(
    _ ending: Settlement, _ values: [String: RecordedValue], _ report: FlowReport?, _ ticket: WorkTicket
  ) {
    let text = ending.isSuccess ? nil : (report?.facts ?? facts).failure?.errorText
    let end = RecordedKind.keyed(RedactableTexts(ofRun: ending.recorded(as: text), values))
    let now = dates.now
    if recorder.sealIfNoListeners(with: end, at: now) { return announce(ending, values, report, ticket, at: now) }
    recorder.seal(with: end, at: now) { self.announce(ending, values, report, ticket, at: now) }
  }

  /// Notifies those who wait for the outcome, after every observer was notified of the end.
  private func announce(
    _ ending: Settlement, _ values: [String: RecordedValue], _ report: FlowReport?, _ ticket: WorkTicket,
    at moment: RunMoment
  ) {
    let (current, progress) = currentReport(values, at: moment)
    let outcome = outcome(ending, (report?.with(current.log) ?? current).hidingSecrets())
    guard let follower = progress?.follower else { return resolve(outcome, ending, ticket) }
    // The progress shows the end before anyone is notified of the outcome.
    follower.whenApplied { self.resolve(outcome, ending, ticket) }
  }

  var facts: RunFacts { state.withLock { $0.currentFacts } }

  /// Returns the report of the run so far, and its progress, if anyone has requested that.
  private func currentReport(_ values: [String: RecordedValue], at moment: RunMoment) -> (FlowReport, RunProgress?) {
    let log = recorder.log
    let elapsed = dates.elapsed
    return state.withLock { state in
      var facts = state.currentFacts
      facts.end(at: moment)
      let report = FlowReport(
        plainFlowName: flowName, duration: state.beganAt.map { elapsed - $0 } ?? .zero,
        stepCount: state.machine.stepCount, itemFailures: state.itemFailures, values: values, log: log, facts: facts)
      return (report, state.progress)
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
    // Values that are freed may use the run, so they aren't freed under the lock.
    let ended = state.withLock { state in
      _ = state.machine.settle(ticket, .settled(ending))
      state.paused = nil
      return EndedRun(
        waiting: state.outcome.store(outcome), handle: state.handle.take(), timers: state.timers.take(),
        quietWatch: state.quietWatch.take(),
        groups: exchange(&state.groups, with: GroupRuns()), remains: exchange(&state.remains, with: [:]))
    }
    ended.quietWatch?.cancel()
    ended.timers?.stopAll()
    ended.waiting.notify(of: outcome, ended.handle)
  }
}

/// The parts of a run that are notified, stopped or freed after its end, outside its lock.
private struct EndedRun {
  let waiting: RunOutcome
  let handle: FlowRun?
  let timers: (any RunTimers)?
  let quietWatch: Task<Void, Never>?
  let groups: GroupRuns
  let remains: [RunWork: WorkRemains]
}

/// The outcome of a run, decided once, and those who wait for it.
struct RunOutcome: Sendable {
  /// Separate, because most runs have one waiter, and then no array is needed.
  private var waiter: UnsafeContinuation<Void, Never>?
  private var otherWaiters: [UnsafeContinuation<Void, Never>] = []
  /// Called at the end, on the main actor; it retains the flow, so it is released when the run ends.
  var didFinish: (@MainActor @Sendable () -> Void)?
  private(set) var current: FlowOutcome?

  init(didFinish: (@MainActor @Sendable () -> Void)? = nil, current: FlowOutcome? = nil) {
    self.didFinish = didFinish
    self.current = current
  }

  /// Adds a waiter if there is no outcome yet; returns false if there is one.
  mutating func mustWait(_ waiter: UnsafeContinuation<Void, Never>) -> Bool {
    guard current == nil else { return false }
    if self.waiter == nil { self.waiter = waiter } else { otherWaiters.append(waiter) }
    return true
  }

  /// Stores the outcome, and returns those who wait for it, to be notified outside the lock.
  mutating func store(_ outcome: FlowOutcome) -> RunOutcome { exchange(&self, with: RunOutcome(current: outcome)) }

  func notify(of outcome: FlowOutcome, _ handle: FlowRun?) {
    handle?.end(outcome)
    waiter?.resume()
    for waiter in otherWaiters { waiter.resume() }
    if let didFinish { Task { @MainActor in didFinish() } }
  }
}
