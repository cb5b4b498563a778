import Foundation

/// A lock for tasks: one task has the turn at a time, and the others wait in order, without blocking a thread.
final class Turn: @unchecked Sendable {
  static let ofHeavyTests = Turn()
  static let ofLongTests = Turn()

  // Invariant: these are used only under `lock`.
  private let lock = NSLock()
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func acquire() async {
    await withCheckedContinuation { continuation in
      let isFree = lock.withLock {
        if isTaken { waiting.append(continuation) }
        defer { isTaken = true }
        return !isTaken
      }
      if isFree { continuation.resume() }
    }
  }

  func pass() {
    let next = lock.withLock {
      isTaken = !waiting.isEmpty
      return waiting.isEmpty ? nil : waiting.removeFirst()
    }
    next?.resume()
  }
}
