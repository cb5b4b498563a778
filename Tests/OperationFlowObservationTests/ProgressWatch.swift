import Foundation
import OperationFlow
import OperationFlowObservation
import TestSupport

/// Starts a flow and hands its progress to the flow's own steps and observers, before the first of them.
final class ProgressWatch: Sendable {
  private struct State: Sendable {
    var progress: Progress?
    var samples: [Double] = []
  }

  private let state = Locked(State())
  private let isSet = Signal()

  /// How far the run has come.
  var fraction: Double { state.withLock { $0.progress }?.fractionCompleted ?? -1 }

  /// What was seen by `sample()`.
  var samples: [Double] { state.withLock { $0.samples } }

  func sample() {
    guard let progress = state.withLock({ $0.progress }), !progress.isIndeterminate else { return }
    let fraction = progress.fractionCompleted
    // Of what is indeterminate, Foundation says 0; it may have become so meanwhile.
    if !progress.isIndeterminate { state.withLock { $0.samples.append(fraction) } }
  }

  /// Runs a flow behind a first step that counts for nothing, and samples at every event.
  func run(_ flow: Flow) async -> FlowOutcome {
    let run = Flow().observe { _ in self.sample() }.add("watch", .weight(0)) { _ in await self.isSet.wait() }
      .add(flow: flow).start()
    state.withLock { $0.progress = run.progress }
    isSet.fire()
    return await run.outcome
  }
}
