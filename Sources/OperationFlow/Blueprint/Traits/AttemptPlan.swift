/// How often a step or an item is tried, how long that may take, and whether it recovers.
package struct AttemptPlan: Sendable {
  package internal(set) var count = 1
  /// Whether the count was asked for, and isn't just the one attempt that any work has.
  var isCounted = false
  /// How long an attempt may take before it is cancelled and fails as timed out; `nil` for no limit.
  package var timeout: Duration?
  /// The same for all attempts together, with the delays between them.
  package var totalTimeout: Duration?
  /// How long to wait for work that has timed out; `nil` to wait for its end.
  var abandonsAfter: Duration?
  package internal(set) var recovers = false

  /// How often an attempt may begin whose process ends in it, so that work which ends its process isn't tried for ever.
  package var beginLimit: Int { isCounted ? count : Self.uncountedBeginLimit }

  /// The number for work without a number of attempts of its own.
  package static let uncountedBeginLimit = 10

  package var isTimed: Bool { timeout != nil || totalTimeout != nil }
}
