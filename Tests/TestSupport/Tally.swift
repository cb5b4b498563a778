import OperationFlow

/// Counts what happens, and can be waited on to reach a number.
package final class Tally: Sendable {
  private let state = Locked((count: 0, waiters: [(number: Int, continuation: CheckedContinuation<Void, Never>)]()))

  package init() {}

  package var count: Int { state.withLock { $0.count } }

  package func add() {
    let reached = state.withLock { state in
      state.count += 1
      let count = state.count
      defer { state.waiters.removeAll { $0.number <= count } }
      return state.waiters.filter { $0.number <= count }
    }
    for waiter in reached { waiter.continuation.resume() }
  }

  /// Waits until it has counted that far.
  package func reach(_ number: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.count < number { state.waiters.append((number, continuation)) }
        return state.count >= number
      }
      if isReached { continuation.resume() }
    }
  }
}
