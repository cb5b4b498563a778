/// How many attempts of a run follow failures, and how many may.
struct RetryBudget: Sendable {
  var limit: FlowRetryBudget
  /// How many attempts have begun, including the first ones.
  var attemptCount = 0
  /// How many of them follow a failure.
  var retryCount = 0

  init(_ limit: FlowRetryBudget) { self.limit = limit }

  /// Whether a failure may be followed by another attempt.
  var allowsRetry: Bool {
    switch limit.limit {
    case .none: true
    case .retries(let count): retryCount < count
    case .share(let share, let least): retryCount < least || Double(retryCount + 1) <= share * Double(attemptCount)
    }
  }
}
