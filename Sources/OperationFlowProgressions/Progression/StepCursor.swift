/// The current step of a progression that an asynchronous function runs.
@usableFromInline
struct StepCursor<Step: Progression> {
  @usableFromInline var step: Step
  @usableFromInline var runner = StepRunner<Step>()

  @inlinable
  init(_ step: Step) { self.step = step }

  /// Continues to the next step, unless the task is cancelled.
  @inlinable
  mutating func advance() async throws {
    try Task.checkCancellation()
    switch try runner.perform(&step) {
    case .done: break
    case .deferred(.unit(let use)): step = try use()
    case .deferred(let deferred): step = try await deferred.value
    case .asynchronous: try await runner.advance(&step)
    }
  }

  /// Continues to the result.
  @inlinable
  mutating func finish() async throws -> Step.Result {
    while true {
      if let result = step.result { return result }
      if runner.isSure {
        // `isSure` means that the type implements `advance()`, so this does what the cursor's `advance()` does.
        try Task.checkCancellation()
        try await step.advance()
      } else {
        try await advance()
      }
    }
  }
}
