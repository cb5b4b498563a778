import OperationFlow

/// The rules of an upload: how many files are sent at once, how fast, and how often each is attempted.
package struct UploadRules: Hashable, Sendable {
  /// The number of files that are sent at once.
  package var width = 3
  /// True if the other files are still sent after one has failed.
  package var allowsFailure = false
  /// The number of attempts at a file, the first one included.
  package var attempts = 1
  /// The delay before the second attempt; it doubles before each further one, up to the limit.
  package var firstDelay = Duration.milliseconds(200)
  package var delayLimit = Duration.seconds(10)
  /// The time limit of an attempt; a day by default, because the system ends an attempt that makes no progress.
  package var timeout = Duration.seconds(86_400)
  /// The number of attempts that begin in a second; nil for no limit.
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

  /// Returns true if a file is sent again after an error: not if the server has refused the file for good.
  @Sendable package static func isWorthRetrying(_ error: any Error) -> Bool {
    if let error = error as? UploadError { return error.isWorthRetrying }
    return (error as? FlowError)?.code == .timedOut
  }
}
