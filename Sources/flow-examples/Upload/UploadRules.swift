import OperationFlow

/// How the files of an upload are sent: how many, how fast, and how often again.
package struct UploadRules: Hashable, Sendable {
  /// How many files are sent at once.
  package var width = 3
  /// Whether the others are still sent after one has failed.
  package var allowsFailure = false
  /// How often a file is tried, the first time included.
  package var attempts = 1
  /// How long a file waits before its second attempt; twice as long before each further one, up to the limit.
  package var firstDelay = Duration.milliseconds(200)
  package var delayLimit = Duration.seconds(10)
  /// How long an attempt may take; a day is as long as it needs, since the system ends one that makes no progress.
  package var timeout = Duration.seconds(86_400)
  /// How many attempts are begun in a second; nil for any number.
  package var rate: Int?

  package init() {}
}

extension UploadRules {
  package var retryPolicy: FlowRetryPolicy {
    .exponential(attempts: attempts, first: firstDelay, factor: 2, limit: delayLimit, jitter: 0.2)
  }

  package var limiter: FlowLimiter {
    guard let rate else { return FlowLimiter(atMost: width) }
    return FlowLimiter(atMost: width, starts: rate, per: .seconds(1))
  }

  /// Whether a file is tried again after an error: not if the server has refused it for good.
  @Sendable package static func isWorthRetrying(_ error: any Error) -> Bool {
    if let error = error as? UploadError { return error.isWorthRetrying }
    return (error as? FlowError)?.code == .timedOut
  }
}
