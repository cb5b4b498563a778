import Foundation

/// The parts of a flow that a worker needs to perform its tasks.
package protocol TaskPerforming: Sendable {
  /// Performs a task and returns its output as JSON.
  ///
  /// If the surrounding task is cancelled, the work is cancelled.
  func perform(_ input: Data) async throws(FlowTaskFailure) -> Data

  /// Returns the longest time between two heartbeats for a task; `nil` if the engine expects none.
  func heartbeat(for input: Data) -> Duration?

  /// Returns the parts of a task's output that the engine's own states read, so they can't be replaced by references.
  func inspectedParts(ofOutputFor input: Data) -> InspectedParts
}

/// The parts of an output that the engine's data has to contain themselves, not as references.
package enum InspectedParts: Sendable, Equatable {
  /// The output as a whole.
  case all
  /// The members of the output with these names.
  case members(Set<String>)
}

extension TaskPerforming {
  package func inspectedParts(ofOutputFor input: Data) -> InspectedParts { .members([]) }
}
