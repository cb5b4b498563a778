import Foundation

extension RunEngine {
  /// Ends the run once everything that was started has settled, and notifies everything that waits.
  func finish(_ ticket: WorkTicket) {
    if refusal == nil { blueprint.discardInstances(bucket) }
    let (decided, open, facts) = state.withLock { ($0.machine.ending, $0.machine.openSteps, $0.facts) }
    let ending = decided ?? .succeeded
    for step in open {
      // A step beside the one that failed was only cut off.
      let end = facts.endOfOpen(step) == .failed ? ending : .cancelled
      _ = recordEnd(end, of: FlowEvent.Source(blueprint.steps[step].name, step: step).failing(.passedOn))
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
    let (data, log) = (bucket.values, recorder.log)
    let report = state.withLock { $0.report(flowName, data, log) }.hidingSecrets
    let outcome =
      switch ending.hiding(log.hidden, log.shownPaths) {
      case .succeeded: FlowOutcome.succeeded(report)
      case .failed(let error): FlowOutcome.failed(error, report)
      case .cancelled: FlowOutcome.cancelled(report)
      }
    // What is freed may use the run, so it isn't freed under the lock.
    let (announcement, _, _) = state.withLock { state in
      _ = state.machine.settle(ticket, .settled(ending))
      defer { (state.paused, state.timers) = (nil, nil) }
      return (state.outcome.resolve(outcome, state.progress), state.groups.removeAll(), state.timers)
    }
    announcement.make()
  }
}
