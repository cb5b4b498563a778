import Foundation
import OperationFlow

/// Runs `body` in a plain thread, with a stack of `stackSize` bytes, if that is given.
package func inThread(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    let thread = Thread {
      body()
      continuation.resume()
    }
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
  }
}

/// Runs each body in a plain thread of its own.
///
/// All start at the same moment.
package func atOnce(_ bodies: (@Sendable () -> Void)...) async {
  let count = Locked(bodies.count)
  await withTaskGroup(of: Void.self) { group in
    for body in bodies {
      group.addTask {
        await inThread {
          count.withLock { $0 -= 1 }
          while count.withLock({ $0 }) > 0 { sched_yield() }
          body()
        }
      }
    }
  }
}
