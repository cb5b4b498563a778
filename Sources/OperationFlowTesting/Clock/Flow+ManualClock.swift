import OperationFlow

extension Flow {
  /// Runs the flow on a clock whose time passes by itself, so that minutes of delays need no real time.
  ///
  /// Whenever the run can do nothing else, the clock moves to the next moment that something waits for, as in
  /// ``ManualClock/lettingTimePass(isolation:_:)``. Later runs follow the clock that the flow has.
  ///
  /// ```swift
  /// let clock = ManualClock()
  /// let outcome = await flow.run(on: clock, with: ["email": "a@b.c"])
  /// ```
  /// - Parameters:
  ///   - clock: The clock.
  ///   - data: Values that the run's bucket starts with; they override those that the flow was given.
  /// - Returns: The outcome of the run.
  public func run(on clock: ManualClock, with data: [String: any Sendable] = [:]) async -> FlowOutcome {
    await clock.end(of: startRun(with: startingData.merging(data), on: clock, isAwaited: true))
  }

  /// Runs the flow with typed data on a clock whose time passes by itself.
  ///
  /// It behaves like ``run(on:with:)``.
  ///
  /// - Parameters:
  ///   - clock: The clock.
  ///   - change: Changes the values that the run's bucket starts with, which are those that the flow was given.
  /// - Returns: The outcome of the run.
  /// - Throws: The error that `change` throws; nothing is started then.
  public nonisolated(nonsending) func run(
    on clock: ManualClock, _ change: (inout FlowData) throws -> Void
  ) async rethrows -> FlowOutcome {
    await clock.end(of: try startRun(with: startingData.changed(by: change), on: clock, isAwaited: true))
  }
}

extension ManualClock {
  fileprivate func end(of run: FlowRun) async -> FlowOutcome {
    let number = beginPassing { run.currentOutcome != nil }
    defer { endPassing(number) }
    return await run.outcomeForCaller
  }
}
