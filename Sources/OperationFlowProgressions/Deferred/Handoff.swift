import Dispatch
import Foundation
import OperationFlow

/// Handles a future's callback: it counts once, and tells a callback that comes immediately from one that comes later.
///
/// If the callback comes while the future is still being started, on the same thread, `start(_:)` returns it, so that
/// the code that started the future continues in a loop instead of in the callback.
final class Handoff<Value>: @unchecked Sendable {
  // Invariant: `receive` is taken under the lock; `isStarting` and `early` are used on `thread` only.
  private let lock = Locked(())
  private var receive: ((@escaping Deferred<Value>.UseResult) -> Void)?
  private let wanted = Trampoline.wantedQueue
  private let thread = pthread_self()
  private var isStarting = false
  private var early: Deferred<Value>.UseResult?

  /// Calls `receive` if the callback comes later than `start(_:)` returns.
  init(_ receive: @escaping (@escaping Deferred<Value>.UseResult) -> Void) {
    self.receive = receive
  }

  deinit {
    // Nothing holds the callback any longer, so it can't come.
    guard let receive else { return }
    Trampoline.enter(wanting: wanted) { receive { throw FlowError.droppedFuture } }
  }

  /// Starts the future, and returns what it has called back with by then on this thread.
  func start(_ request: (@escaping Deferred<Value>.Resolve) -> Void) -> Deferred<Value>.UseResult? {
    // The thread that takes `receive` sees everything that was written before.
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
