import OperationFlow

// Creates the digest of a record, such as a saved one: the core makes its summaries from digests.

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

extension RunDigest.ItemFailure {
  init(_ failure: FlowRecord.ItemFailure) {
    self.init(
      name: failure.name, step: failure.step, index: failure.index, input: failure.input, error: failure.error,
      attempt: failure.attempt)
  }
}

extension RunDigest.Ending {
  init(_ ending: FlowRecord.Ending) {
    let result: RunDigest.Result =
      switch ending.result {
      case .succeeded: .succeeded
      case .failed: .failed
      case .cancelled: .cancelled
      }
    self.init(
      result: result, duration: ending.duration, text: ending.text, failure: ending.failure.map(RunDigest.Failure.init))
  }
}

extension RunDigest.Failure {
  fileprivate init(_ failure: FlowRecord.Failure) {
    self.init(
      name: failure.name, step: failure.step, item: failure.item, attempt: failure.attempt, problem: failure.problem,
      remedy: failure.remedy, isRefusal: failure.isRefusal)
  }
}

extension FlowRecord.Option {
  /// The option in a digest.
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
