import Foundation

/// Runs `start`, and waits until it calls the function that is passed to it.
func waiting(_ start: (@escaping @Sendable () -> Void) -> Void) async {
  await withCheckedContinuation { continuation in
    start { continuation.resume() }
  }
}

/// Calls `whenZero` once it has been counted down this many times, from any thread.
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

/// Runs the operations that `add` adds to a bare queue, at most `width` at once, and waits until all of them are done.
func onOperationQueue(width: Int, _ add: (OperationQueue) -> Void) async {
  await waiting { done in
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = width
    add(queue)
    queue.addBarrierBlock(done)
  }
}

/// Runs this many blocks that do nothing on a serial dispatch queue, and waits for the last.
func onSerialQueue(blocks count: Int) async {
  await waiting { done in
    let queue = DispatchQueue(label: "serial")
    for _ in 0..<count { queue.async {} }
    queue.async(execute: done)
  }
}
