/// A test's access to the work of a run.
package protocol RunProbe: AnyObject, Sendable {
  /// Returns the effect on a piece of work before it begins; `nil` for none.
  func interception(of work: ProbedWork) -> Interception?
  /// Called when a step or an item reports its progress, with its value from 0 to 1.
  func didReport(_ fraction: Double)
}

/// A piece of work: one attempt of a step, or of a group's item.
package struct ProbedWork: Sendable {
  package let path: FlowPath
  package let name: String
  package let item: Int?
  package let attempt: Int
}

/// The effect of a probe on a piece of work, before it begins.
package enum Interception: Sendable {
  /// The work doesn't begin, and ends with this error.
  case fails(any Error)
  /// The work waits until the closure returns, on the run's clock; if that throws, the work ends with the error
  /// instead.
  case waits(@Sendable (any Clock<Duration>) async throws -> Void)
}
