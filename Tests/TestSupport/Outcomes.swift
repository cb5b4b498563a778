import OperationFlow

extension FlowOutcome {
  /// The code of the library's own error, if it ended with one.
  package var code: FlowError.Code? { (error as? FlowError)?.code }

  /// Whether it ended as cancelled.
  package var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}

extension FlowReport {
  /// The names of what has started, in order.
  package var started: [String] { events.filter { $0.kind == .started }.map(\.source.description) }

  /// The warnings, each with the name of its source before it.
  package var warnings: [String] {
    events.compactMap { if case .warned(let text) = $0.kind { "\($0.source) \(text)" } else { nil } }
  }
}

extension FlowRun {
  /// How it ends if it is cancelled once a signal has come.
  package func outcome(cancelledAfter signal: Signal) async -> FlowOutcome {
    await signal.wait()
    cancel()
    return await outcome
  }
}
