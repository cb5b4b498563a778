import Dispatch
import Foundation
import TestSupport

@testable import OperationFlow
@testable import OperationFlowDurable

extension RandomFlow {
  /// A dependency of an operation object, which may delay its start, and changes nothing else.
  struct Dependency: Sendable {
    /// The name of the operation that waits.
    var operation: String
    /// The name of the awaited operation; `nil` for one outside the flow that finishes at a random time.
    var other: String?
  }

  /// Adds the dependencies to the flow's operations, but not those that could never be met.
  func addDependencies(to flow: Flow) {
    if dependencies.isEmpty { return }
    let blueprint = flow.state.withLock { $0.sharedBlueprint() }.value
    let operations = blueprint.instanceSteps.compactMap { blueprint.steps[$0].instance?.held }
    let named = { (name: String) in operations.first { $0.name == name } }
    for dependency in dependencies {
      guard let operation = named(dependency.operation) else { continue }
      guard let name = dependency.other else {
        finish(operationAwaitedBy: operation)
        continue
      }
      guard let other = named(name), other !== operation else { continue }
      operation.addDependency(other)
      let isUnmeetable = flow.validate().contains { $0.code == .unmeetableDependency && $0.severity == .error }
      if isUnmeetable { operation.removeDependency(other) }
    }
  }

  /// Adds a dependency on an operation outside the flow, which another thread soon starts.
  private func finish(operationAwaitedBy operation: FlowOperation) {
    let other = BlockOperation {}
    operation.addDependency(other)
    DispatchQueue.global().async {
      for _ in 0..<Int.random(in: 0..<20) { sched_yield() }
      // On Linux, the operation that waits must not be freed before this one has finished.
      withExtendedLifetime(operation) { other.start() }
    }
  }

  /// The operation objects, and of each if another operation may wait for it.
  ///
  /// An operation that never finishes has to be freed, but one that waits for it retains it.
  var objects: [(name: String, mayBeAwaited: Bool)] { Self.objects(of: steps) }

  private static func objects(of steps: [Step]) -> [(name: String, mayBeAwaited: Bool)] {
    steps.flatMap { step -> [(name: String, mayBeAwaited: Bool)] in
      switch step.unwrapped.step {
      case .operation(let operation, isObject: true): [(operation.name, operation.style != .never)]
      case .cases(let branches): branches.flatMap { objects(of: $0.steps) }
      case .numberCases(_, let branches, let otherwise):
        branches.flatMap { objects(of: $0.steps) } + objects(of: otherwise ?? [])
      case .parallel(_, let branches): branches.flatMap { objects(of: $0.steps) }
      case .operation, .group, .conditional: []
      }
    }
  }
}
