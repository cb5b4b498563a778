import OperationFlow

extension FlowOutcome {
  /// The code of the library's own error, if the run ended with one.
  package var code: FlowError.Code? { (error as? FlowError)?.code }

  /// True if the run ended as cancelled.
  package var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}

extension FlowReport {
  /// The names of the steps that started, in order.
  package var started: [String] { events.filter { $0.kind == .started }.map(\.source.description) }

  /// The warnings, each after the name of its source.
  package var warnings: [String] {
    events.compactMap { if case .warned(let text) = $0.kind { "\($0.source) \(text)" } else { nil } }
  }
}

extension FlowRun {
  /// Waits for `signal`, cancels the run, and returns its outcome.
  package func outcome(cancelledAfter signal: Signal) async -> FlowOutcome {
    await signal.wait()
    cancel()
    return await outcome
  }
}
