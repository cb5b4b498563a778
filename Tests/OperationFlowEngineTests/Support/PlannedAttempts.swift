@testable import OperationFlow

extension Flow {
  /// Adds a closure with a plan of its attempts.
  @discardableResult
  func add(
    _ name: String, _ attempts: AttemptPlan, _ body: @escaping @Sendable (FlowContext) async throws -> Void
  ) -> Flow {
    var options = StepOptions()
    options.attempts = attempts
    return add(name, .closure(.async(body)), options)
  }
}
