/// How often an answer is sent again that doesn't arrive.
struct AnswerPatience {
  /// With the longest delays, over an hour.
  private static let failureLimit = 200

  private(set) var failures = 0
  /// How often in a row the service has refused the worker's credentials.
  private var refusals = 0

  /// Notes a failure; false if the answer isn't sent again.
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
