import Foundation

/// The record of one run: its events in order, and those who are told of each.
///
/// Appending never calls anyone, so it may be done under another lock; `deliver()` then tells the observers, outside
/// all locks, one event after the other in the record's order, whichever threads append.
final class Recorder: Sendable {
  typealias Observer = @Sendable (FlowEvent) -> Void

  fileprivate struct State: Sendable {
    var log = EventLog()
    var observers: [Observer]
    var deliveredCount = 0
    var isDelivering = false
    var isSealed = false
    /// Called once, when the last event has been delivered.
    var whenComplete: (@Sendable () -> Void)?
    /// Subscribers that wait for an event which has not happened yet.
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiter = 0
  }

  fileprivate enum Delivery: Sendable {
    case event(FlowEvent, [Observer])
    case completion(@Sendable () -> Void)
  }

  private let state: Locked<State>

  init(observers: [Observer] = []) {
    state = Locked(State(observers: observers))
  }

  var log: EventLog { state.withLock { $0.log } }
  var events: [FlowEvent] { log.events }

  // MARK: Writing

  /// Appends and delivers.
  ///
  /// Nothing is recorded any more once the run has ended.
  func record(_ kind: FlowEvent.Kind, source: FlowEvent.Source) {
    if append(kind, source: source) { deliver() }
  }

  /// Appends; true where somebody is to be told by `deliver()`.
  @discardableResult
  func append(_ kind: FlowEvent.Kind, source: FlowEvent.Source) -> Bool {
    state.withLock { state in
      guard !state.isSealed else { return false }
      // The time is taken under the lock, so that times never run backwards in a record.
      state.log.append(FlowEvent(date: Date(), source: source, kind: kind))
      return !state.observers.isEmpty || !state.waiters.isEmpty
    }
  }

  /// Takes over what was recorded before the run.
  func append(contentsOf events: [FlowEvent]) {
    state.withLock { state in
      for event in events { state.log.append(event) }
    }
  }

  /// Hides the values of names that turn out to be sensitive in what has been recorded.
  func redact(_ names: Set<String>) {
    state.withLock { state in
      state.log.replaceAll { $0.redacting(names) }
    }
  }

  /// Hands out what has been recorded, and forgets it.
  func takeEvents() -> [FlowEvent] {
    state.withLock { state in
      defer { state.log = EventLog() }
      return state.log.events
    }
  }

  /// Records the last event, and calls `whenComplete` when every observer has been told of it.
  func seal(
    with kind: FlowEvent.Kind, source: FlowEvent.Source, whenComplete: @escaping @Sendable () -> Void = {}
  ) {
    state.withLock { state in
      state.whenComplete = whenComplete
      state.log.append(FlowEvent(date: Date(), source: source, kind: kind))
      state.isSealed = true
    }
    deliver()
  }

  // MARK: Telling

  /// Tells the observers and subscribers of what has been appended, outside all locks.
  func deliver() {
    let waiters = state.withLock { state in
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume() }
    // Whoever comes while another thread delivers leaves its events to that thread.
    var isMine = false
    while let delivery = state.withLock({ $0.nextDelivery(continuing: isMine) }) {
      switch delivery {
      case .event(let event, let observers):
        isMine = true
        for observer in observers { observer(event) }
      case .completion(let complete):
        return complete()
      }
    }
  }

  /// The event at an index, waiting for it where it has not happened yet; `nil` past the last, or when cancelled.
  func event(at index: Int) async -> FlowEvent? {
    while true {
      let (event, isLast) = state.withLock { state in
        (index < state.log.count ? state.log[index] : nil, state.isSealed)
      }
      if event != nil || isLast || Task.isCancelled { return event }
      await waitForEvent(at: index)
    }
  }

  private func waitForEvent(at index: Int) async {
    let waiter = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          // A cancelled task's handler may have run already, and would never see this waiter.
          if state.log.count > index || state.isSealed || Task.isCancelled { return true }
          state.waiters[waiter] = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
    }
  }
}

extension Recorder.State {
  /// What is to be told next; `nil` where that is nothing, or another thread's to tell.
  fileprivate mutating func nextDelivery(continuing: Bool) -> Recorder.Delivery? {
    guard continuing || !isDelivering else { return nil }
    if !observers.isEmpty, deliveredCount < log.count {
      isDelivering = true
      deliveredCount += 1
      return .event(log[deliveredCount - 1], observers)
    }
    isDelivering = false
    guard isSealed else { return nil }
    observers = []
    defer { whenComplete = nil }
    return whenComplete.map(Recorder.Delivery.completion)
  }
}
