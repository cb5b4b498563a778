@testable import OperationFlow

// What tests add more shortly, and what the builder does not offer yet.
extension Flow {
  /// Adds a step whose branches run at once, in the order of their names.
  @discardableResult
  func addParallel(_ name: String, _ branches: [String: Flow]) -> Flow {
    parallel(name) { step in
      for (name, flow) in branches.sorted(by: { $0.key < $1.key }) { _ = step.add(name, flow) }
    }
  }

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
