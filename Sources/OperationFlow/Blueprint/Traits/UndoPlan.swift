/// How what a step, or an item of a group, has done is undone.
package struct UndoPlan: Sendable {
  package enum Work: Sendable {
    case closure(@Sendable (FlowContext) async throws -> Void)
    case operation(@Sendable () throws -> FlowOperation)
  }

  package let work: Work
  package let retry: FlowRetryPolicy?
  package let timeout: Duration?

  /// How often it is tried, and how long that may take.
  var attempts: AttemptPlan { AttemptPlan(count: retry?.attempts ?? 1, timeout: timeout) }
}
