import Foundation
import OperationFlow
import OperationFlowObservation
import TestSupport

/// Starts a flow, and lets the flow's own steps and observers read its progress.
final class ProgressWatch: Sendable {
  private struct State: Sendable {
    var progress: Progress?
    var samples: [Double] = []
  }

  private let state = Locked(State())
  private let isSet = Signal()

  /// The completed fraction of the run; -1 before it starts.
  var fraction: Double { state.withLock { $0.progress }?.fractionCompleted ?? -1 }

  /// The fractions that `sample()` read.
  var samples: [Double] { state.withLock { $0.samples } }

  func sample() {
    guard let progress = state.withLock({ $0.progress }), !progress.isIndeterminate else { return }
    let fraction = progress.fractionCompleted
    // Foundation returns 0 for an indeterminate progress, which this one may have become after the first check.
    if !progress.isIndeterminate { state.withLock { $0.samples.append(fraction) } }
  }

  /// Runs a flow after a step without weight, and samples at every event.
  func run(_ flow: Flow) async -> FlowOutcome {
    let run = Flow().observe { _ in self.sample() }.add("watch", .weight(0)) { _ in await self.isSet.wait() }
      .add(flow: flow).start()
    state.withLock { $0.progress = run.progress }
    isSet.fire()
    return await run.outcome
  }
}
