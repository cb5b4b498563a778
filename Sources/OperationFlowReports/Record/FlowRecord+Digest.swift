import OperationFlow

extension FlowReport {
  /// The record of the run, which you can save and draw; created on each access.
  public var record: FlowRecord { FlowRecord(digest) }
}

extension FlowRun {
  /// The current record of the run, which you can save and draw; created on each access.
  ///
  /// You can read it from any thread while the run is under way.
  public var record: FlowRecord { FlowRecord(digest) }
}

extension Flow {
  /// The record of the last run, which you can save and draw; created on each access.
  ///
  /// You can read it while the run is under way. The record of a flow that has not run has no steps.
  public var record: FlowRecord { FlowRecord(digest) }
}

// The digest of a run has everything that is in its record. The digest of a record has only what the summaries of the
// core need.

extension FlowRecord {
  init(_ digest: RunDigest) {
    self.init(
      flowName: digest.flowName, steps: digest.steps.map(Step.init), events: digest.events,
      itemFailures: digest.itemFailures.map(ItemFailure.init), ending: digest.ending.map(Ending.init),
      runID: digest.runID)
  }

  /// The digest of the record, from which the core makes summaries.
  package var digest: RunDigest {
    RunDigest(
      runID: runID, flowName: flowName, steps: steps.map(RunDigest.Step.init), events: events,
      itemFailures: itemFailures.map(RunDigest.ItemFailure.init), ending: ending.map(RunDigest.Ending.init))
  }
}

// MARK: From the digest

extension FlowRecord.Step {
  fileprivate init(_ step: RunDigest.Step) {
    self.init(
      id: step.id, parent: step.parent, name: step.name, number: step.number, kind: FlowRecord.Kind(step),
      path: step.path, inputs: step.inputs, outputs: step.outputs,
      options: step.options.isEmpty ? [] : Set(FlowRecord.Option.allCases.filter { step.options.contains($0.mark) }),
      state: FlowRecord.State(step.state), duration: step.duration,
      beforeResume: step.beforeResume,
      attempts: step.attempts, items: step.items.map(FlowRecord.Items.init),
      followUps: step.items == nil && step.followUps == FollowUps() ? nil : step.followUps)
  }
}

extension FlowRecord.State {
  fileprivate init(_ state: StepState) {
    self =
      switch state {
      case .waiting: .waiting
      case .running: .running
      case .succeeded: .succeeded
      case .failed: .failed
      case .cancelled: .cancelled
      case .skipped: .skipped
      case .neverRan: .neverRan
      }
  }
}

extension FlowRecord.Ending.Result {
  fileprivate init(_ result: RunDigest.Result) {
    self =
      switch result {
      case .succeeded: .succeeded
      case .failed: .failed
      case .cancelled: .cancelled
      }
  }
}

extension FlowRecord.Kind {
  fileprivate init(_ step: RunDigest.Step) {
    self =
      switch step.kind {
      case .operation(let type): .operation(type: type)
      case .closure: .closure
      case .group(let width, _, _): .group(width: width, stopText: step.stopText)
      case .cases: .cases
      case .flow: .flow
      case .parallel: .parallel
      case .always: .always
      case nil: .branch
      }
  }
}

extension FlowRecord.Items {
  fileprivate init(_ items: FlowReport.Items) {
    self.init(total: items.total, succeeded: items.succeeded, failed: items.failed, cancelled: items.cancelled)
  }
}

extension FlowRecord.ItemFailure {
  fileprivate init(_ failure: RunDigest.ItemFailure) {
    self.init(
      name: failure.name, step: failure.step, index: failure.index, input: failure.input, error: failure.error,
      attempt: failure.attempt)
  }
}

extension FlowRecord.Ending {
  fileprivate init(_ ending: RunDigest.Ending) {
    self.init(
      result: Result(ending.result), duration: ending.duration, text: ending.text,
      failure: ending.failure.map(FlowRecord.Failure.init)
    )
  }
}

extension FlowRecord.Failure {
  fileprivate init(_ failure: RunDigest.Failure) {
    self.init(
      name: failure.name, step: failure.step, item: failure.item, attempt: failure.attempt, problem: failure.problem,
      remedy: failure.remedy, isRefusal: failure.isRefusal)
  }
}
