import OperationFlow

/// Wakes a supervisor when the first of its runs is due.
final class SupervisorAlarm: Sendable {
  private let clock: any Clock<Duration>
  private let ring: @Sendable () -> Void
  private let task = Locked<Task<Void, Never>?>(nil)

  init(_ clock: any Clock<Duration>, ring: @escaping @Sendable () -> Void) { (self.clock, self.ring) = (clock, ring) }

  /// Rings once after a time, in place of the time that was set before; never if the time is `nil`.
  func set(_ time: Duration?) {
    let new = time.map { time in
      Task { [clock, ring] in
        guard (try? await clock.sleep(for: max(.zero, time))) != nil else { return }
        ring()
      }
    }
    let old = task.withLock { task in
      defer { task = new }
      return task
    }
    old?.cancel()
  }

  func cancel() { set(nil) }
}
