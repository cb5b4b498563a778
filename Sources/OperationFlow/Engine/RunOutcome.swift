/// How a run ends: decided once, for all that wait for it.
struct RunOutcome: Sendable {
  /// Separate, because most runs have one, and then no array is needed.
  private var waiter: UnsafeContinuation<Void, Never>?
  private var otherWaiters: [UnsafeContinuation<Void, Never>] = []
  /// Called at the end, on the main actor; it holds the flow, so it is released when the run ends.
  var didFinish: (@MainActor @Sendable () -> Void)?
  private(set) var current: FlowOutcome?

  init(didFinish: (@MainActor @Sendable () -> Void)? = nil, current: FlowOutcome? = nil) {
    self.didFinish = didFinish
    self.current = current
  }

  /// Whether there is no outcome yet; the waiter is then told of it later.
  mutating func mustWait(_ waiter: UnsafeContinuation<Void, Never>) -> Bool {
    guard current == nil else { return false }
    if self.waiter == nil { self.waiter = waiter } else { otherWaiters.append(waiter) }
    return true
  }

  /// Keeps the outcome, and returns all that wait for it, to be told outside the lock.
  mutating func resolve(_ outcome: FlowOutcome) -> RunOutcome { exchange(&self, with: RunOutcome(current: outcome)) }

  func announce(_ outcome: FlowOutcome, _ handle: FlowRun?) {
    handle?.end(outcome)
    waiter?.resume()
    for waiter in otherWaiters { waiter.resume() }
    if let didFinish { Task { @MainActor in didFinish() } }
  }
}
