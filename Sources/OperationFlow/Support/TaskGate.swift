/// A gate that suspends one task until it is opened.
final class TaskGate: Sendable {
  private struct State: ~Copyable, Sendable {
    var isOpen = false
    var waiter: UnsafeContinuation<Void, Never>?
  }

  private let state = Locked(State())

  func pass() async {
    if state.withLock({ $0.isOpen }) { return }
    await withUnsafeContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiter = continuation }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
    // The lock orders the code before the opening and the code after it in a way that the thread sanitizer understands.
    state.withLock { _ in }
  }

  func open() {
    let waiter = state.withLock { state in
      state.isOpen = true
      return state.waiter
    }
    waiter?.resume()
  }
}
