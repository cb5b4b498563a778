import Foundation

/// The record of one run: its events in order, and those who are told of each.
///
/// Appending never calls anyone, so it may be done under another lock; `deliver()` then tells the observers, outside
/// all locks, one event after the other in the record's order, whichever threads append.
final class Recorder: Sendable {
  typealias Observer = @Sendable (FlowEvent) -> Void

  private struct State: Sendable {
    var events: [FlowEvent] = []
    var observers: [Observer]
    var deliveredCount = 0
    var isDelivering = false
    var isSealed = false
  }

  private let state: Locked<State>
  private let hasObservers: Bool

  init(observers: [Observer] = []) {
    hasObservers = !observers.isEmpty
    state = Locked(State(observers: observers))
  }

  var events: [FlowEvent] { state.withLock { $0.events } }

  /// Appends and delivers.
  ///
  /// Nothing is recorded any more once the run has ended.
  func record(_ kind: FlowEvent.Kind, source: FlowEvent.Source) {
    append(kind, source: source)
    deliver()
  }

  func append(_ kind: FlowEvent.Kind, source: FlowEvent.Source) {
    state.withLock { state in
      guard !state.isSealed else { return }
      // The time is taken under the lock, so that times never run backwards in a record.
      state.events.append(FlowEvent(date: Date(), source: source, kind: kind))
    }
  }

  /// Takes over what was recorded before the run.
  func append(contentsOf events: [FlowEvent]) {
    state.withLock { $0.events.append(contentsOf: events) }
  }

  /// Hands out what has been recorded, and forgets it.
  func takeEvents() -> [FlowEvent] {
    state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }

  /// Records the last event.
  func seal(with kind: FlowEvent.Kind, source: FlowEvent.Source) {
    append(kind, source: source)
    state.withLock { $0.isSealed = true }
    deliver()
  }

  func deliver() {
    guard hasObservers else { return }
    // Whoever comes while another thread delivers leaves its events to that thread.
    var isMine = false
    while let (event, observers) = state.withLock({ state -> (FlowEvent, [Observer])? in
      guard isMine || !state.isDelivering else { return nil }
      guard state.deliveredCount < state.events.count else {
        state.isDelivering = false
        if state.isSealed { state.observers = [] }
        return nil
      }
      isMine = true
      state.isDelivering = true
      state.deliveredCount += 1
      return (state.events[state.deliveredCount - 1], state.observers)
    }) {
      for observer in observers { observer(event) }
    }
  }
}
