/// Calls back when times on a run's clock are over; at most one task waits, for the one that is due first.
package final class RunAlarms: Sendable {
  private let timers: any RunTimers
  private let known: Locked<Slab<Int>>

  /// Creates alarms; `ring` gets the numbers of those whose times are over.
  package init(_ engine: RunEngine, ring: @escaping @Sendable ([Int]) -> Void) {
    let known = Locked(Slab<Int>())
    self.known = known
    timers = engine.clock.makeTimers { due in
      ring(known.withLock { known in due.compactMap { known.remove($0) } })
    }
  }

  /// Sets an alarm with a number, which another one that is set may have too.
  package func set(_ number: Int, after time: Duration) -> TimerID {
    let timer = known.withLock { $0.insert(number) }
    var changes = TimerChanges()
    changes.append(.start(timer, max(.zero, time)))
    timers.take(changes)
    return timer
  }

  /// Takes an alarm back, unless it has rung.
  package func remove(_ timer: TimerID) {
    guard known.withLock({ $0.remove(timer) }) != nil else { return }
    var changes = TimerChanges()
    changes.append(.stop(timer))
    timers.take(changes)
  }

  // The task that waits would keep what it has until the time of an alarm that was taken back.
  deinit { timers.stopAll() }
}
