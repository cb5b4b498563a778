/// A test's access to the work of a run; the engine asks it, and most runs have none.
package protocol RunProbe: AnyObject, Sendable {
  /// What happens to a piece of work first; `nil` if nothing does.
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
  /// It doesn't begin, and ends with an error.
  case fails(any Error)
  /// It waits until this returns, on the run's clock; if that throws, it doesn't begin, and ends with that error.
  case waits(@Sendable (any Clock<Duration>) async throws -> Void)
}
