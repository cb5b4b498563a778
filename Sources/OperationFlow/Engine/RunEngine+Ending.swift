import Foundation

extension RunEngine {
  /// Everything that was started has settled: ends the run, and tells all who wait.
  func finish(_ ticket: WorkTicket) {
    if refusal == nil { blueprint.discardInstances(bucket) }
    let (decided, open) = state.withLock { ($0.machine.ending, $0.machine.openSteps) }
    let ending = decided ?? .succeeded
    for step in open { _ = recordEnd(ending, of: FlowEvent.Source(blueprint.steps[step].name, step: step)) }
    recorder.seal(with: .flowFinished(ending.eventFinish, bucket.listing()), source: .dataBucket) {
      // Whoever knows of the end sees it in the progress as well.
      guard let progress = self.state.withLock({ $0.progress }) else { return self.announce(ending, ticket) }
      progress.whenApplied { self.announce(ending, ticket) }
    }
  }

  /// Every observer has been told of the end: tells those who wait for the outcome.
  private func announce(_ ending: Settlement, _ ticket: WorkTicket) {
    let (data, log) = (bucket.values, recorder.log)
    let report = state.withLock { $0.report(flowName, data, log) }
    let outcome =
      switch ending {
      case .succeeded: FlowOutcome.succeeded(report)
      case .failed(let error): FlowOutcome.failed(error, report)
      case .cancelled: FlowOutcome.cancelled(report)
      }
    // What is freed may use the run: so not under the lock.
    let (announcement, _, _) = state.withLock { state in
      _ = state.machine.settle(ticket, .settled(ending))
      defer { (state.paused, state.timers) = (nil, nil) }
      return (state.outcome.resolve(outcome, state.progress), state.groups.removeAll(), state.timers)
    }
    announcement.make()
  }
}
