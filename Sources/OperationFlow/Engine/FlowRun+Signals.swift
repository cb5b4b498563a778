extension FlowRun {
  /// Cancels the run when the process receives one of the signals, such as that of Ctrl-C, which then doesn't end it.
  ///
  /// ```swift
  /// let run = flow.start()
  /// run.cancel(onSignals: .interrupt, .terminate)
  /// let outcome = await run.outcome
  /// ```
  /// The first of the signals cancels every run that waits for it, so their undos and `always` steps run. From then on,
  /// and once the run has ended, the signals have the effect that they had before. So a second Ctrl-C ends the process
  /// immediately, and interrupts undos. The library itself never ends the process: your code has to.
  ///
  /// It has no effect after the run's end. If the process can't catch the signals, the record has a warning.
  ///
  /// - Parameters:
  ///   - signals: The signals; each has its usual effect before this is called.
  ///   - notify: Called just before the run is cancelled, on any thread, with the signal that arrived: to print a line
  ///     on the terminal or to choose an exit code, for example. It must not wait.
  /// - Returns: The run.
  @discardableResult
  public func cancel(
    onSignals signals: FlowProcessSignal...,
    notifying notify: @escaping @Sendable (FlowProcessSignal) -> Void = { _ in }
  ) -> FlowRun {
    guard currentOutcome == nil, !signals.isEmpty else { return self }
    let source = FlowEvent.Source(flowName)
    let id = SignalWatch.shared.add(Set(signals.map(\.number))) { number in
      guard let signal = signals.first(where: { $0.number == number }) else { return }
      self.recorder.record(.logged("received \(signal)", .info), source: source)
      notify(signal)
      self.cancel(by: .signal(signal))
    }
    guard let id else {
      recorder.record(.warned("it can't be cancelled by a signal, because the process can't catch it"), source: source)
      return self
    }
    let isOver = state.withLock { state in
      if case .over = state.stage { return true }
      state.signalWatches.append(id)
      return false
    }
    if isOver { SignalWatch.shared.remove(id) }
    return self
  }
}
