@testable import OperationFlow

// What the machine can do, and the builder does not offer yet.
extension Flow {
  /// Adds a step whose branches run at once, in the order of their names.
  @discardableResult
  func addParallel(_ name: String, _ branches: [String: Flow]) -> Flow {
    let branches = branches.sorted { $0.key < $1.key }.map { ($0.key, $0.value.snapshot().inner) }
    state.withLock { $0.builder.addParallel(name, branches) }
    return self
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

  /// Measures delays and timeouts by a clock.
  func timed(by clock: any Clock<Duration>) -> Flow {
    state.withLock { $0.clock = clock }
    return self
  }
}
