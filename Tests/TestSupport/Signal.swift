import OperationFlow

/// Something that happens once and is waited for.
package final class Signal: Sendable {
  private let state = Locked((isOn: false, waiters: [CheckedContinuation<Void, Never>]()))

  package init() {}

  package var isOn: Bool { state.withLock { $0.isOn } }

  package func fire() {
    let waiters = state.withLock { state in
      state.isOn = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  package func wait() async {
    await withCheckedContinuation { continuation in
      let isOn = state.withLock { state in
        if !state.isOn { state.waiters.append(continuation) }
        return state.isOn
      }
      if isOn { continuation.resume() }
    }
  }
}
