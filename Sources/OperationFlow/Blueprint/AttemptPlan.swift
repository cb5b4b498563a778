/// How often a step or an item is tried, and how long each attempt may take.
struct AttemptPlan: Sendable, Hashable {
  /// How many attempts there are at most, the first among them.
  var count = 1
  /// How long it waits before each attempt but the first.
  var delay = Duration.zero
  /// How long an attempt may take before it is cancelled and fails as timed out; `nil` for any time.
  var timeout: Duration?
}
