/// What limits a run as a whole, and what its chance is.
package struct RunLimits: Sendable {
  package var deadline: Duration?
  /// How long nothing may happen before a warning; `nil` for any time.
  var quietTime: Duration?
  package var retryBudget = FlowRetryBudget.unlimited
  /// What the random parts of delays are made from; `nil` for another seed in each run.
  var seed: UInt64?

  package init() {}

  var areNone: Bool { deadline == nil && quietTime == nil && retryBudget == .unlimited && seed == nil }

  var problems: [FlowProblem] {
    if areNone { return [] }
    var errors = [retryBudget.error]
    if let time = deadline, time <= .zero {
      errors.append(.invalidTimeout("the run may take \(time)", "Give deadline(_:) more than zero."))
    }
    if let time = quietTime, time <= .zero {
      let problem = "a warning comes if nothing happens for \(time)"
      errors.append(.invalidTimeout(problem, "Give quietWarning(after:) more than zero."))
    }
    return errors.compactMap { $0.map { FlowProblem($0) } }
  }
}

/// A limit on the retries of a whole run, so that a server that is down isn't flooded with them.
public struct FlowRetryBudget: Sendable, Hashable {
  /// The share of all attempts, and how many retries are allowed in any case.
  struct Limit: Sendable, Hashable {
    var share = 0.0
    let least: Int
  }

  let limit: Limit?

  /// No limit: the steps' policies alone determine the number of retries.
  public static let unlimited = FlowRetryBudget(limit: nil)

  /// At most a number of retries.
  ///
  /// - Parameter count: How many attempts may follow a failure; the flow is refused if it is below 0.
  /// - Returns: The budget.
  public static func retries(_ count: Int) -> FlowRetryBudget { FlowRetryBudget(limit: Limit(least: count)) }

  /// At most a share of all attempts that have begun so far, the first ones of steps and items included.
  ///
  /// - Parameters:
  ///   - share: The share, from 0 to 1; the flow is refused if it is outside.
  ///   - count: How many retries are allowed in any case, so that a run can retry at its beginning.
  /// - Returns: The budget.
  public static func share(_ share: Double, atLeast count: Int = 10) -> FlowRetryBudget {
    FlowRetryBudget(limit: Limit(share: share, least: count))
  }

  var error: FlowError? {
    guard let limit else { return nil }
    if !(0...1).contains(limit.share) {
      return .invalidRetry("the retry budget is a share of \(limit.share)", "Give retryBudget(_:) a share from 0 to 1.")
    }
    if limit.least >= 0 { return nil }
    return .invalidRetry("the retry budget is \(limit.least) retries", "Give retryBudget(_:) a number of 0 or more.")
  }
}
