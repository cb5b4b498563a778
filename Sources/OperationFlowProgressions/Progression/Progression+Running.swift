extension Progression {
  /// Takes all steps from this one on, and returns the result.
  ///
  /// The steps run on the pool of tasks, wherever it is called from, and any number of synchronous ones needs no more
  /// stack than one. Cancelling the task ends it between two steps.
  ///
  /// - Returns: The result, at once if it is there already.
  /// - Throws: What a step threw; `CancellationError` if the task was cancelled and steps are left; `FlowError`
  ///   with the code `notImplemented` if the type does not write a step.
  @inlinable
  public func run() async throws -> Result {
    if let result = try await unseen?.runUnseen(as: Result.self) { return result }
    var cursor = StepCursor(self)
    return try await cursor.finish()
  }

  /// Takes all steps from `step` on, and returns the result: for a step that was stored, or one to be tested.
  ///
  /// - Parameter step: Any step of the progression.
  /// - Returns: The result, at once if it is there already.
  /// - Throws: What ``run()`` throws.
  @inlinable
  public static func run(from step: Self) async throws -> Result {
    try await step.run()
  }
}
