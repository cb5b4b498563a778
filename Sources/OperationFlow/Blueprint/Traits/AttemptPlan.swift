/// How often a step or an item is tried, how long that may take, and whether it recovers.
package struct AttemptPlan: Sendable {
  package internal(set) var count = 1
  /// How long an attempt may take before it is cancelled and fails as timed out; `nil` for no limit.
  package var timeout: Duration?
  /// The same for all attempts together, with the delays between them.
  package var totalTimeout: Duration?
  /// How long to wait for work that has timed out; `nil` to wait for its end.
  var abandonsAfter: Duration?
  package internal(set) var recovers = false

  package var isTimed: Bool { timeout != nil || totalTimeout != nil }
}
