/// The timers that are to be started and stopped, in order.
///
/// Usually the timer of work that has ended is stopped and that of the next work is started: that needs no array.
package struct TimerChanges: Sendable {
  private var first: RunEffect?
  private var second: RunEffect?
  private var others: [RunEffect] = []

  init() {}

  /// One timer that is to be started.
  package init(starting timer: TimerID, after time: Duration) { first = .start(timer, time) }

  /// One timer that is to be stopped.
  package init(stopping timer: TimerID) { first = .stop(timer) }

  var isEmpty: Bool { first == nil }

  mutating func append(_ effect: RunEffect?) {
    guard let effect else { return }
    if first == nil {
      first = effect
    } else if second == nil {
      second = effect
    } else {
      others.append(effect)
    }
  }

  mutating func append(_ effects: [RunEffect]?) {
    for effect in effects ?? [] { append(effect) }
  }

  /// Calls one closure for each timer that is to be started, with its time, and the other for each to be stopped, in order.
  package func forEach(start: (TimerID, Duration) -> Void, stop: (TimerID) -> Void) {
    func take(_ change: RunEffect) {
      switch change {
      case .start(let timer, let time): start(timer, time)
      case .stop(let timer): stop(timer)
      case .cancel, .abandon, .retryDenied, .groupStopped, .combined, .closed: break
      }
    }
    if let first { take(first) }
    if let second { take(second) }
    for change in others { take(change) }
  }
}
