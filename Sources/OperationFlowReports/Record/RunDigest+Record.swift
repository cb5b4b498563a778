import OperationFlow

// The digest of a record, such as one that was saved: the summaries of the core are made from digests.

extension RunDigest.Step {
  convenience init(_ step: FlowRecord.Step) {
    self.init(
      id: step.id, parent: step.parent, name: step.name, number: step.number, kind: RunDigest.Kind(step.kind),
      path: step.path, inputs: step.inputs, outputs: step.outputs, options: StepMarks(step.options.map(\.mark)),
      state: StepState(step.state), duration: step.duration, beforeResume: step.beforeResume,
      attempts: step.attempts, items: step.items.map(RunDigest.Items.init))
  }
}

extension RunDigest.Kind {
  fileprivate init(_ kind: FlowRecord.Kind) {
    self =
      switch kind {
      case .operation(let type): .operation(type: type)
      case .closure: .closure
      case .group(let width, let stopText): .group(width: width, stopText: stopText)
      case .cases: .cases
      case .branch: .branch
      case .flow: .flow
      case .parallel: .parallel
      case .always: .always
      case .other(let name): .other(name)
      }
  }
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

extension RunDigest.Items {
  init(_ items: FlowRecord.Items) {
    self.init(total: items.total, succeeded: items.succeeded, failed: items.failed, cancelled: items.cancelled)
  }
}

extension RunDigest.ItemFailure {
  convenience init(_ failure: FlowRecord.ItemFailure) {
    self.init(
      name: failure.name, step: failure.step, index: failure.index, input: failure.input, error: failure.error,
      attempt: failure.attempt)
  }
}

extension RunDigest.Ending {
  convenience init(_ ending: FlowRecord.Ending) {
    let result: StepState =
      switch ending.result {
      case .succeeded: .succeeded
      case .failed: .failed
      case .cancelled: .cancelled
      }
    self.init(
      result: result, duration: ending.duration, text: ending.text,
      failure: ending.failure.map { failure in
        RunDigest.Failure(
          name: failure.name, step: failure.step, item: failure.item, attempt: failure.attempt,
          problem: failure.problem, remedy: failure.remedy, isRefusal: failure.isRefusal)
      })
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
