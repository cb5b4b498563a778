import OperationFlow

/// Calls back when times on a run's clock are over; at most one task waits, for the one that is due first.
final class RunAlarms: Sendable {
  /// The numbers of the alarms that are set, by their timers, whose places are reused.
  private struct Known: Sendable {
    private var numbers: [TimerID: Int] = [:]
    private var unused: [TimerID] = []

    mutating func insert(_ number: Int) -> TimerID {
      let timer = unused.popLast()?.next ?? TimerID(place: numbers.count)
      numbers[timer] = number
      return timer
    }

    mutating func remove(_ timer: TimerID) -> Int? {
      guard let number = numbers.removeValue(forKey: timer) else { return nil }
      unused.append(timer)
      return number
    }
  }

  private let timers: any RunTimers
  private let known: Locked<Known>

  /// Creates alarms; `ring` gets the numbers of the alarms whose times are over.
  init(_ engine: RunEngine, ring: @escaping @Sendable ([Int]) -> Void) {
    let known = Locked(Known())
    self.known = known
    timers = engine.clock.makeTimers { due in
      ring(known.withLock { known in due.compactMap { known.remove($0) } })
    }
  }

  /// Sets an alarm with a number, which may also be the number of another alarm.
  func set(_ number: Int, after time: Duration) -> TimerID {
    let timer = known.withLock { $0.insert(number) }
    timers.apply([.start(timer, max(.zero, time))])
    return timer
  }

  /// Removes an alarm, unless it has rung.
  func remove(_ timer: TimerID) {
    if known.withLock({ $0.remove(timer) }) != nil { timers.apply([.stop(timer)]) }
  }

  // Otherwise the waiting task would retain its objects until the time of a removed alarm.
  deinit { timers.stopAll() }
}
