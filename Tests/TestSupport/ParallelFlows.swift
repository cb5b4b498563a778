import OperationFlow

extension Flow {
  /// Adds a step whose branches run in parallel, added in the order of their names.
  @discardableResult
  package func addParallel(_ name: String, _ branches: [String: Flow]) -> Flow {
    parallel(name) { step in
      for (name, flow) in branches.sorted(by: { $0.key < $1.key }) {
        step.branches.withLock { $0.append((name, flow)) }
      }
    }
  }
}
