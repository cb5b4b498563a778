import Foundation

/// The number of attempts that a step or an item has, and the delays between them.
public struct FlowRetryPolicy: Sendable, Hashable {
  package let attempts: Int
  package let first: Duration
  package let factor: Double
  package let limit: Duration
  private let jitter: Double

  /// Allows a number of attempts, with the same delay before each but the first.
  ///
  /// - Parameters:
  ///   - attempts: The largest number of attempts, including the first; the flow is refused if it is below 1.
  ///   - delay: The wait after a failure; the flow is refused if it is below zero.
  /// - Returns: The policy.
  public static func attempts(_ attempts: Int, delay: Duration = .zero) -> FlowRetryPolicy {
    FlowRetryPolicy(attempts: attempts, first: delay, factor: 1, limit: delay, jitter: 0)
  }

  /// Allows a number of attempts with delays that grow by a factor, so that a busy server gets time to recover.
  ///
  /// The delay before attempt *n* is `first · factor^(n-2)`, at most `limit`, less a random part of at most `jitter`.
  /// Source of the method: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
  ///
  /// - Parameters:
  ///   - attempts: The largest number of attempts, including the first; at least 1.
  ///   - first: The delay before the second attempt; not below zero.
  ///   - factor: The factor by which each further delay grows; at least 1.
  ///   - limit: The longest delay; not below zero.
  ///   - jitter: The largest part of a delay that is random, from 0 to 1.
  /// - Returns: The policy. The flow is refused if a value is outside its range.
  public static func exponential(
    attempts: Int, first: Duration = .seconds(1), factor: Double = 2, limit: Duration = .seconds(60),
    jitter: Double = 0.2
  ) -> FlowRetryPolicy {
    FlowRetryPolicy(attempts: attempts, first: first, factor: factor, limit: limit, jitter: jitter)
  }

  /// Returns the delay before an attempt; `chance` is a random number from 0 to 1.
  func delay(before attempt: Int, chance: @autoclosure () -> Double) -> Duration {
    let first = first.clamped()
    let longest = limit.clamped()
    guard first > .zero, longest > .zero else { return .zero }
    // The power may be infinite; the delay is limited even then. A delay that isn't multiplied stays exact.
    let times = pow(factor, Double(max(0, attempt - 2)))
    let grown = times == 1 ? first : .clamping(seconds: first / .seconds(1) * times)
    let delay = min(grown, longest)
    return jitter > 0 ? .clamping(seconds: delay / .seconds(1) * (1 - min(1, jitter) * chance())) : delay
  }

  var error: FlowError? {
    if attempts < 1 { return .invalidRetry("the step has \(attempts) attempts", "Give .retry at least 1 attempt.") }
    if first < .zero || limit < .zero {
      return .invalidRetry(
        "the delay between two attempts is \(min(first, limit))", "Give .retry a delay of zero or more.")
    }
    if !(factor >= 1 && factor.isFinite) {
      return .invalidRetry("the delays grow by a factor of \(factor)", "Give .retry a factor of at least 1.")
    }
    if !(0...1).contains(jitter) {
      return .invalidRetry("the jitter of the delays is \(jitter)", "Give .retry a jitter from 0 to 1.")
    }
    return nil
  }
}

/// An error with its own delay before another attempt, such as HTTP's `503` with `Retry-After`.
///
/// The error's delay replaces that of the step's ``FlowRetryPolicy``, even if it is longer than the policy's limit.
public protocol FlowRetryDelaying: Error {
  /// The delay before the next attempt; `nil` to use the policy's.
  var retryDelay: Duration? { get }
}

extension FlowError {
  static func invalidRetry(_ problem: String, _ remedy: String) -> FlowError {
    FlowError(.invalidRetry, problem, remedy: remedy)
  }

  static func invalidTimeout(_ problem: String, _ remedy: String) -> FlowError {
    FlowError(.invalidTimeout, problem, remedy: remedy)
  }
}

/// A limit on the retries of a whole run, so that a server that is down isn't flooded with them.
public struct FlowRetryBudget: Sendable, Hashable {
  /// The share of all attempts that may be retries, and the number of retries that are allowed in any case.
  struct Limit: Sendable, Hashable {
    var share = 0.0
    let least: Int
  }

  let limit: Limit?

  /// No limit: the steps' policies alone determine the number of retries.
  public static let unlimited = FlowRetryBudget(limit: nil)

  /// Allows at most a number of retries.
  ///
  /// - Parameter count: The number of attempts that may follow a failure; the flow is refused if it is below 0.
  /// - Returns: The budget.
  public static func retries(_ count: Int) -> FlowRetryBudget { FlowRetryBudget(limit: Limit(least: count)) }

  /// Allows at most a share of all attempts that were started so far, including the first ones of steps and items.
  ///
  /// - Parameters:
  ///   - share: The share, from 0 to 1; the flow is refused if it is outside.
  ///   - count: The number of retries that are allowed in any case, so that a run can retry at its beginning.
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
