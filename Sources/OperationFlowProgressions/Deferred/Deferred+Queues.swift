import Dispatch

extension Deferred {
  /// Returns a deferred of the same result, delivered on a queue.
  ///
  /// The code that produces the result, a closure or the transforms of `map`, runs on the queue as well. A future is
  /// still started by the caller that performs it.
  ///
  /// - Parameter queue: The queue on which the result is delivered.
  /// - Returns: A deferred of the same result.
  public func on(_ queue: DispatchQueue) -> Deferred<Result> {
    chained(wanting: queue) { use, resolve in
      // Not with `runWhereWanted(_:)`: a caller who asks for a queue gets a block of its own.
      let use = Transfer(use)
      queue.async { Trampoline.run(on: queue) { resolve(use.value) } }
    }
  }
}
