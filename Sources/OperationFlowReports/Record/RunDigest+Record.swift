import OperationFlow

// The digest of a record, such as one that was saved: the summaries of the core are made from digests.

extension RunDigest.Step {
  convenience init(_ step: FlowRecord.Step) {
    self.init(
      id: step.id, parent: step.parent, name: step.name, number: step.number,
      kind: step.kind == .cases ? .cases : nil, stopText: step.kind.stopText, path: step.path, inputs: step.inputs,
      options: StepMarks(step.options.map(\.mark)), state: StepState(step.state), duration: step.duration,
      beforeResume: step.beforeResume, attempts: step.attempts, items: step.items.map(FlowReport.Items.init),
      followUps: step.followUps)
  }
}

extension FlowRecord.Kind {
  fileprivate var stopText: String? { if case .group(_, let stopText) = self { stopText } else { nil } }
}

extension StepState {
  fileprivate init(_ state: FlowRecord.State) {
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

extension FlowReport.Items {
  init(_ items: FlowRecord.Items) {
    self.init(total: items.total, succeeded: items.succeeded, failed: items.failed, cancelled: items.cancelled)
  }
}

extension FlowRecord.Ending {
  /// The same in a digest.
  var digest: RunDigest.Ending {
    let result: RunDigest.Result =
      switch result {
      case .succeeded: .succeeded
      case .failed: .failed
      case .cancelled: .cancelled
      }
    let failure = failure.map { failure in
      (
        failure.name, failure.step, failure.item, failure.attempt, failure.problem, failure.remedy, failure.isRefusal
      ) as RunDigest.Failure
    }
    return (result, duration, text, failure)
  }
}

extension FlowRecord.Option {
  /// The same in a digest.
  var mark: StepMarks {
    switch self {
    case .undo: .undo
    case .condition: .condition
    case .retry: .retry
    case .timeout: .timeout
    case .wait: .wait
    }
  }
}
