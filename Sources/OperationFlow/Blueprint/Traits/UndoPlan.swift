/// How the work of a step, or of a group's item, is undone.
package final class UndoPlan: Sendable {
  package enum Work: Sendable {
    case closure(@Sendable (FlowContext) async throws -> Void)
    case operation(@Sendable () throws -> FlowOperation)
  }

  package let work: Work
  package let retry: FlowRetryPolicy?
  package let timeout: Duration?

  init(work: Work, retry: FlowRetryPolicy?, timeout: Duration?) {
    self.work = work
    self.retry = retry
    self.timeout = timeout
  }

  package var attempts: AttemptPlan {
    AttemptPlan(count: retry?.attempts ?? 1, isCounted: retry != nil, timeout: timeout)
  }
}
