import OperationFlow

extension FlowOperation {
  /// Performs the operation alone, and returns its result.
  ///
  /// ```swift
  /// let result = await LoginOp().perform(with: ["email": "a@b.c"])
  /// ```
  /// The operation runs as in a flow, which checks its inputs first. It can't run again.
  ///
  /// - Parameters:
  ///   - data: The values that the operation can read.
  ///   - clock: A clock whose time passes by itself; without one, the operation runs in real time.
  /// - Returns: The outcome, and the values, lines and progress that the operation wrote, logged and reported.
  public func perform(with data: [String: any Sendable] = [:], on clock: ManualClock? = nil) async -> StepResult {
    await alone.performed(on: clock) { $0.merge(data) }
  }

  /// Performs the operation alone with typed data, and returns its result.
  ///
  /// ```swift
  /// let result = await LoginOp().perform { $0[.email] = "a@b.c" }
  /// ```
  /// - Parameters:
  ///   - clock: A clock whose time passes by itself; without one, the operation runs in real time.
  ///   - change: A function that sets the values for the operation.
  /// - Returns: The outcome, and the values, lines and progress that the operation wrote, logged and reported.
  /// - Throws: The error that `change` throws; nothing is performed then.
  public func perform(
    on clock: ManualClock? = nil, with change: (inout FlowData) throws -> Void
  ) async rethrows -> StepResult {
    try await alone.performed(on: clock, change)
  }

  private var alone: Flow { Flow("Alone").add(operation: self) }
}

extension Flow {
  /// Runs a flow that has one step.
  func performed(
    on clock: ManualClock?, _ change: (inout FlowData) throws -> Void
  ) async rethrows -> StepResult {
    let progress = Locked([Double]())
    let flow = probed { earlier in
      WorkProbe(after: earlier, report: { fraction in progress.withLock { $0.append(fraction) } })
    }.recording(.everything)
    let outcome =
      if let clock { try await flow.run(on: clock, change) } else { try await flow.run(change) }
    return StepResult(outcome, progress: progress.withLock { $0 })
  }
}
