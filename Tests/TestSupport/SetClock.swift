import Foundation
import OperationFlow

/// A clock whose date a test sets, as someone sets that of a system.
///
/// Its time only moves forward.
package final class SetClock: DatedClock, Sendable {
  package static let start = Date(timeIntervalSince1970: 1_800_000_000)

  package let steps: StepClock
  private let shift = Locked(Duration.zero)

  /// Creates a clock that stands still until it is advanced, or that jumps to each moment that is waited for.
  package init(jumps: Bool = false) { steps = StepClock(jumps: jumps) }

  package var now: StepClock.Instant { steps.now }
  package var minimumResolution: Duration { steps.minimumResolution }
  package var date: Date { Self.start.addingTimeInterval((now.offset + shift.withLock { $0 }) / .seconds(1)) }

  package func sleep(until deadline: StepClock.Instant, tolerance: Duration?) async throws {
    try await steps.sleep(until: deadline, tolerance: tolerance)
  }

  package func advance(by time: Duration) { steps.advance(by: time) }

  /// Sets the date forward, or back if `time` is negative.
  package func set(by time: Duration) { shift.withLock { $0 += time } }
}
