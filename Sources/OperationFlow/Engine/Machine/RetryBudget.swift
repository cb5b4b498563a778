/// How many attempts of a run follow failures, and how many may.
struct RetryBudget: Sendable {
  var limit: FlowRetryBudget
  /// How many attempts have begun, including the first ones.
  var attemptCount = 0
  var retryCount = 0

  var allowsRetry: Bool {
    guard let limit = limit.limit else { return true }
    return retryCount < limit.least || Double(retryCount + 1) <= limit.share * Double(attemptCount)
  }
}
