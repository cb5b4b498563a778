import Dispatch
import Foundation
import OperationFlow

/// Handles a future's callback: the first call counts, and an immediate call is distinguished from a later one.
///
/// If the callback is called while the future is still being started, on the same thread, `start(_:)` returns its
/// result. So the code that started the future continues in a loop, and not in the callback.
final class Handoff<Value>: @unchecked Sendable {
  // Invariant: `receive` is removed under the lock; `isStarting` and `early` are used on `thread` only.
  private let lock = Locked(())
  private var receive: ((@escaping Deferred<Value>.UseResult) -> Void)?
  private let wanted = Trampoline.wantedQueue
  private let thread = pthread_self()
  private var isStarting = false
  private var early: Deferred<Value>.UseResult?

  /// Creates a handler; `receive` is called unless `start(_:)` returns the result.
  init(_ receive: @escaping (@escaping Deferred<Value>.UseResult) -> Void) {
    self.receive = receive
  }

  deinit {
    // The callback was released, so it can't be called any more.
    guard let receive else { return }
    Trampoline.enter(wanting: wanted) { receive { throw FlowError.droppedFuture } }
  }

  /// Starts the future; returns its result if this thread has called the callback by then.
  func start(_ request: (@escaping Deferred<Value>.Resolve) -> Void) -> Deferred<Value>.UseResult? {
    // Under the lock, so that the thread that removes `receive` sees all earlier writes.
    lock.withLock { _ in isStarting = true }
    request { use in self.resolve(use) }
    isStarting = false
    defer { early = nil }
    return early
  }

  private func resolve(_ use: @escaping Deferred<Value>.UseResult) {
    let taken = lock.withLock { _ in
      defer { self.receive = nil }
      return self.receive
    }
    guard let receive = taken else { return }
    if pthread_equal(thread, pthread_self()) != 0, isStarting {
      early = use
    } else {
      Trampoline.enter(wanting: wanted) { receive(use) }
    }
  }
}
