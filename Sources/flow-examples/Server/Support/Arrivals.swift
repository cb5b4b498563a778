import Foundation

/// Counts the files that arrive, from any thread.
package final class Arrivals: @unchecked Sendable {
  // Invariant of the unchecked conformance: the counts and the waiters are used under `lock` only.
  private let lock = NSLock()
  private var counts: [String: Int] = [:]
  private var total = 0
  private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  package var count: Int { lock.withLock { total } }
  package var repeatedCount: Int { lock.withLock { counts.values.reduce(0) { $0 + $1 - 1 } } }

  /// Returns how often a file arrived.
  package func count(of name: String) -> Int { lock.withLock { counts[name] ?? 0 } }

  package func add(_ name: String) {
    let reached = lock.withLock {
      total += 1
      counts[name, default: 0] += 1
      defer { waiters.removeAll { $0.count <= total } }
      return waiters.filter { $0.count <= total }
    }
    for waiter in reached { waiter.continuation.resume() }
  }

  /// Waits until that many files arrived, or until `release()` is called because nothing more arrives.
  ///
  /// - Parameters:
  ///   - count: The number of files.
  ///   - mayArrive: Returns false if `release()` has already been called.
  package func reach(_ count: Int, while mayArrive: @Sendable () -> Bool = { true }) async {
    await withCheckedContinuation { continuation in
      let isReached = lock.withLock {
        if total < count, mayArrive() { waiters.append((count, continuation)) }
        return waiters.last?.count != count
      }
      if isReached { continuation.resume() }
    }
  }

  /// Ends all waits.
  package func release() {
    let released = lock.withLock {
      defer { waiters = [] }
      return waiters
    }
    for waiter in released { waiter.continuation.resume() }
  }

  package init() {}
}
