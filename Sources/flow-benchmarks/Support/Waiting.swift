import Foundation

/// Runs `start` and waits until it calls what it is given.
func waiting(_ start: (@escaping @Sendable () -> Void) -> Void) async {
  await withCheckedContinuation { continuation in
    start { continuation.resume() }
  }
}

/// Calls `whenZero` once it has been counted down so many times, from any thread.
final class Countdown: @unchecked Sendable {
  // Invariant: `count` is changed under `lock` only.
  private let lock = NSLock()
  private var count: Int
  private let whenZero: @Sendable () -> Void

  init(_ count: Int, whenZero: @escaping @Sendable () -> Void) {
    self.count = count
    self.whenZero = whenZero
  }

  func arrive() {
    lock.lock()
    count -= 1
    let isZero = count == 0
    lock.unlock()
    if isZero { whenZero() }
  }
}
