import Foundation

/// Counts the files that arrive, from any thread.
final class Arrivals: @unchecked Sendable {
  // Invariant of the unchecked conformance: the counts and the waiters are used under `lock` only.
  private let lock = NSLock()
  private var counts: [String: Int] = [:]
  private var total = 0
  private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  var count: Int { lock.withLock { total } }
  var repeatedCount: Int { lock.withLock { counts.values.reduce(0) { $0 + $1 - 1 } } }

  /// Returns how often a file arrived.
  func count(of name: String) -> Int { lock.withLock { counts[name] ?? 0 } }

  func note(_ name: String) {
    let reached = lock.withLock {
      total += 1
      counts[name, default: 0] += 1
      defer { waiters.removeAll { $0.count <= total } }
      return waiters.filter { $0.count <= total }
    }
    for waiter in reached { waiter.continuation.resume() }
  }

  /// Waits until that many files arrived, or until the process ended.
  func reach(_ count: Int, or child: ChildProcess) async {
    child.whenEnded { self.release() }
    await withCheckedContinuation { continuation in
      let isReached = lock.withLock {
        if total < count, child.isRunning { waiters.append((count, continuation)) }
        return waiters.last?.count != count
      }
      if isReached { continuation.resume() }
    }
  }

  private func release() {
    let released = lock.withLock {
      defer { waiters = [] }
      return waiters
    }
    for waiter in released { waiter.continuation.resume() }
  }
}
