/// How often a step or an item is tried, and how long each attempt may take.
struct AttemptPlan: Sendable, Hashable {
  /// The largest number of attempts, including the first.
  var count = 1
  /// How long to wait before each attempt except the first.
  var delay = Duration.zero
  /// How long an attempt may take before it is cancelled and fails as timed out; `nil` for no limit.
  var timeout: Duration?
}
