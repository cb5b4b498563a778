/// An operation that is not held; it is found until it begins to be freed.
final class WeakOperation: @unchecked Sendable {
  // Invariant: set once, in `init`; the runtime makes reading a weak reference safe from any thread.
  private(set) weak var operation: FlowOperation?

  init(_ operation: FlowOperation) { self.operation = operation }
}
