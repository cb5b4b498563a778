@testable import OperationFlow

extension Flow {
  /// Adds a closure that is tried as a plan says.
  @discardableResult
  func add(
    _ name: String, _ attempts: AttemptPlan, _ body: @escaping @Sendable (FlowContext) async throws -> Void
  ) -> Flow {
    var step = Blueprint.Step(name: name, kind: .closure(.async(body)))
    step.options.attempts = attempts
    return add(step, nil)
  }
}
