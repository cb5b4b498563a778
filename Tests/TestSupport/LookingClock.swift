import OperationFlow

/// A clock whose `now` inspects a run, and jumps to each moment that is waited for.
///
/// The inspection doesn't return if a lock of the run is held.
package final class LookingClock: Clock, Sendable {
  private let clock = StepClock(jumps: true)
  private let run = Locked<FlowRun?>(nil)
  private let looks = Locked(0)

  package init() {}

  /// The number of times that the run was inspected.
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

  /// Inspects `run` from now on.
  package func watch(_ run: FlowRun) { self.run.withLock { $0 = run } }

  /// Stops the inspections, and releases the run.
  package func stop() { run.withLock { $0 = nil } }

  package func sleep(until deadline: StepClock.Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
