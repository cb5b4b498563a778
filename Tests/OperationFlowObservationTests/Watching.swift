import Observation
import OperationFlow
import OperationFlowObservation
import TestSupport

/// Counts the changes of a value of an observed run.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@MainActor final class ChangeCount {
  private(set) var count = 0

  /// Counts until the object is freed.
  init(_ read: @escaping @MainActor @Sendable () -> Void) { watch(read) }

  private func watch(_ read: @escaping @MainActor @Sendable () -> Void) {
    withObservationTracking(read) { [weak self] in
      // Called before each change, on the main actor.
      MainActor.assumeIsolated {
        self?.count += 1
        self?.watch(read)
      }
    }
  }
}

/// Waits until a condition is true that depends only on observed values.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@MainActor func until(_ isTrue: @MainActor () -> Bool) async {
  while true {
    let hasChanged = Signal()
    if withObservationTracking(isTrue, onChange: { hasChanged.fire() }) { return }
    await hasChanged.wait()
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension ObservedRun {
  /// Waits until the run has an outcome.
  func untilEnd() async { await until { self.outcome != nil } }

  /// Advances the time, one interval after the other, until a condition is true.
  func letTimePass(on clock: StepClock, until isTrue: @MainActor () -> Bool) async {
    while !isTrue() {
      await clock.waiting(1)
      clock.advance(by: ObservedRunTests.interval)
      await Task.yield()
    }
  }
}
