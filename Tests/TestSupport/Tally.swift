import OperationFlow

/// Counts events, and lets tasks wait for a number of them.
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

  /// Waits until the count is at least `number`.
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
