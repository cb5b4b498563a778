/// Limits how often an answer is sent again that doesn't reach the service.
struct AnswerPatience {
  /// The number of failures after which the answer isn't sent again; with the longest delays, after more than an hour.
  private static let failureLimit = 200

  private(set) var failures = 0
  /// The number of times in a row that the service has refused the worker's credentials.
  private var refusals = 0

  /// Counts a failure; returns false if the answer isn't sent again.
  mutating func allowsAnother(after error: any Error) -> Bool {
    failures += 1
    guard let error = error as? StepFunctionsError, !error.mayBeRetried else {
      refusals = 0
      return failures < Self.failureLimit
    }
    refusals += 1
    return error.isAboutAccess && refusals < FlowWorker.refusalLimit
  }
}
