import OperationFlow

/// Waits until the current task is cancelled.
package func untilCancelled() async {
  let signal = Signal()
  await withTaskCancellationHandler {
    await signal.wait()
  } onCancel: {
    signal.fire()
  }
}

/// Runs `body` in a task that is cancelled already.
package func inCancelledTask<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
  await Task {
    withUnsafeCurrentTask { $0?.cancel() }
    return await body()
  }.value
}

extension Signal {
  /// Fires, and then waits for another signal.
  package func fire(thenAwait other: Signal) async {
    fire()
    await other.wait()
  }

  /// Fires, and then waits until the task is cancelled.
  package func fireUntilCancelled() async {
    fire()
    await untilCancelled()
  }
}

extension Tally {
  /// Counts one, and then waits for a signal.
  package func add(thenAwait signal: Signal) async {
    add()
    await signal.wait()
  }

  /// Counts one, and then waits until the task is cancelled.
  package func addUntilCancelled() async {
    add()
    await untilCancelled()
  }
}

/// A place at which a given number of tasks meet before any of them continues.
package final class Meeting: Sendable {
  private struct State: Sendable {
    var present = 0
    var peak = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let size: Int
  private let arrivals = Tally()
  private let state = Locked(State())

  package init(size: Int) { self.size = size }

  /// The largest number that were there at the same time.
  package var peak: Int { state.withLock { $0.peak } }

  /// Waits until `count` arrived.
  package func reach(_ count: Int) async { await arrivals.reach(count) }

  /// Arrives, waits for the others, leaves, and returns how many are still there.
  @discardableResult
  package func attend() async -> Int {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state in
        state.present += 1
        state.peak = max(state.peak, state.present)
        state.waiters.append(continuation)
        defer { if state.waiters.count == size { state.waiters = [] } }
        return state.waiters.count == size ? state.waiters : []
      }
      arrivals.add()
      for waiter in ready { waiter.resume() }
    }
    return state.withLock { state in
      state.present -= 1
      return state.present
    }
  }
}
