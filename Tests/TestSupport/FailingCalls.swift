import OperationFlow

/// Some calls of a store that fail: the calls are counted from 1, and fail from a number on.
package final class FailingCalls: Sendable {
  package enum Manner: Sendable, CaseIterable {
    case once
    /// Several calls in a row.
    case forAWhile
    case forEver

    fileprivate var length: Int {
      switch self {
      case .once: 1
      case .forAWhile: 4
      case .forEver: .max
      }
    }
  }

  private let first: Int
  private let manner: Manner
  private let state = Locked(State())

  private struct State {
    var count = 0
    var failureCount = 0
    var isOver = false
  }

  package init(from first: Int, _ manner: Manner) { (self.first, self.manner) = (first, manner) }

  /// The number of calls.
  package var count: Int { state.withLock { $0.count } }
  /// The number of calls that have failed.
  package var failureCount: Int { state.withLock { $0.failureCount } }

  /// Stops all failures.
  package func stop() { state.withLock { $0.isOver = true } }

  /// Throws if the next call has to fail.
  package func check(_ call: HookedStore.Call) throws {
    let fails = state.withLock { state in
      state.count += 1
      let fails = !state.isOver && state.count >= first && state.count - first < manner.length
      if fails { state.failureCount += 1 }
      return fails
    }
    if fails { throw TestError(name: "no \(call)") }
  }
}
