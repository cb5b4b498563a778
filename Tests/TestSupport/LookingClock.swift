import OperationFlow

/// A clock whose `now` looks at a run, which doesn't return if a lock of the run is held; it jumps to what is waited for.
package final class LookingClock: Clock, Sendable {
  private let clock = StepClock(jumps: true)
  private let run = Locked<FlowRun?>(nil)
  private let looks = Locked(0)

  package init() {}

  /// How often it has looked at the run.
  package var lookCount: Int { looks.withLock { $0 } }
  package var minimumResolution: Duration { .nanoseconds(1) }

  package var now: StepClock.Instant {
    if let run = run.withLock({ $0 }) { look(at: run) }
    return clock.now
  }

  private func look(at run: FlowRun) {
    _ = (run.isPaused, run.waitingFor.map(\.description), run.currentOutcome, run.events)
    looks.withLock { $0 += 1 }
  }

  /// Looks at a run from now on.
  package func watch(_ run: FlowRun) { self.run.withLock { $0 = run } }

  /// Looks no more, so that the run is held no longer.
  package func stop() { run.withLock { $0 = nil } }

  package func sleep(until deadline: StepClock.Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
