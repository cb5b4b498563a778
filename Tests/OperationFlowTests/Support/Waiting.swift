import Dispatch
import Foundation

@testable import OperationFlow

/// How long a test waits for something that should have happened long ago; only a test that fails waits that long.
let patience: DispatchTimeInterval = .seconds(60)

/// A door that blocks the thread that comes to it until somebody opens it, for good.
///
/// For plain threads and for main logic that is to be caught running; tasks use `Signal`.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// Waits; false where nobody has opened in time.
  @discardableResult
  func pass(within time: DispatchTimeInterval = patience) -> Bool {
    guard semaphore.wait(timeout: .now() + time) == .success else { return false }
    semaphore.signal()
    return true
  }
}

/// The first result that comes: that of `body`, or `nil` when the time is over.
func first<Result: Sendable>(
  within time: DispatchTimeInterval = patience, of body: @escaping @Sendable () async -> Result
) async -> Result? {
  await withCheckedContinuation { continuation in
    let waiting = Locked<CheckedContinuation<Result?, Never>?>(continuation)
    let resume = { @Sendable (result: Result?) in
      let taken = waiting.withLock { held in
        defer { held = nil }
        return held
      }
      taken?.resume(returning: result)
    }
    Task { resume(await body()) }
    DispatchQueue.global().asyncAfter(deadline: .now() + time) { resume(nil) }
  }
}

extension FlowRun {
  /// How it ended; `nil` where it has not ended in time.
  func outcome(within time: DispatchTimeInterval) async -> FlowOutcome? {
    await first(within: time) { await self.outcome }
  }
}

/// Runs `body` in a plain thread, with a stack of its own size where that is given.
func inThread(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    let thread = Thread {
      body()
      continuation.resume()
    }
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
  }
}

/// Runs each of the bodies in a plain thread of its own, all released at the same moment.
func atOnce(_ bodies: (@Sendable () -> Void)...) async {
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
