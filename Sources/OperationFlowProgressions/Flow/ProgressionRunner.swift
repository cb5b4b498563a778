import OperationFlow

/// Runs a progression as a part of a flow: reports each step, and stores it if there is a store.
struct ProgressionRunner<Step: Progression & Sendable>: Sendable where Step.Result: Sendable {
  var stored: StoredSteps<Step>?
  /// A closure that records events, in order.
  let record: @Sendable (FlowEvent.Kind) -> Void

  /// Continues from the stored step, or else from `start`, to the result, and delivers the result before clearing the
  /// store.
  ///
  /// A step is saved when it is reached, and reported when it is saved. So the steps before a reported step never run
  /// again.
  @discardableResult
  func run(from start: () throws -> Step, deliver: (Step.Result) -> Void = { _ in }) async throws -> Step.Result {
    try Task.checkCancellation()
    var cursor: StepCursor<Step>
    if let stored, let step = try await stored.load() {
      record(.logged("goes on from the step stored as <\(stored.key)>", .info))
      record(.progressed(step: ValueText.cut(step.stepName)))
      cursor = StepCursor(step)
    } else {
      cursor = StepCursor(try start())
      try await reach(cursor.step)
    }
    while true {
      if let result = cursor.step.result {
        deliver(result)
        try await stored?.clear()
        return result
      }
      try await cursor.advance()
      try await reach(cursor.step)
    }
  }

  private func reach(_ step: Step) async throws {
    let name = ValueText.cut(step.stepName)
    try await stored?.save(step, named: name)
    record(.progressed(step: name))
  }
}
