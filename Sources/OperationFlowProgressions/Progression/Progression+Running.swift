extension Progression {
  /// Runs all steps from this one, and returns the result.
  ///
  /// The steps run on the pool of tasks, wherever you call it from, and any number of synchronous steps needs no more
  /// stack than one. Cancelling the task ends the progression between two steps.
  ///
  /// - Returns: The result, immediately if it is already available.
  /// - Throws: The error that a step threw; `CancellationError` if the task was cancelled and steps are left; a
  ///   `FlowError` with the code `notImplemented` if the type does not implement a step.
  @inlinable
  public func run() async throws -> Result {
    if let result = try await unseen?.runUnseen(as: Result.self) { return result }
    var cursor = StepCursor(self)
    return try await cursor.finish()
  }

  /// Runs all steps from `step`, and returns the result: for a stored step, or to test one.
  ///
  /// - Parameter step: Any step of the progression.
  /// - Returns: The result, immediately if it is already available.
  /// - Throws: The errors of ``run()``.
  @inlinable
  public static func run(from step: Self) async throws -> Result {
    try await step.run()
  }
}
