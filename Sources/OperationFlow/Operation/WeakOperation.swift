/// A weak reference to an operation, which is found until it begins to be freed.
final class WeakOperation: @unchecked Sendable {
  // Invariant: set once, in `init`; the runtime makes reading a weak reference safe on any thread.
  private(set) weak var operation: FlowOperation?

  init(_ operation: FlowOperation) { self.operation = operation }
}
