extension StepTrait where Work: FlowStep.RepeatableWork {
  /// Tries the step again after a failure; in a group, each item.
  ///
  /// Each attempt is a new operation, or a new call of the closure. Cancelled work isn't tried again. Neither is work
  /// that failed with an error that another attempt can't change, such as a missing input. See <doc:WhenThingsFail>.
  ///
  /// - Parameters:
  ///   - policy: The number of attempts, and the delays between them.
  ///   - isWorthRetrying: A closure that returns true if an error is worth another attempt, or `nil` if all errors are;
  ///     several threads may call it at once.
  /// - Returns: The trait.
  public static func retry(
    _ policy: FlowRetryPolicy, when isWorthRetrying: (@Sendable (_ error: any Error) -> Bool)? = nil
  ) -> Self {
    Self { options in
      options.give(".retry")
      options.attempts[default: AttemptPlan()].count = policy.attempts
      options.attempts?.isCounted = true
      options.retry = policy
      options.isWorthRetrying = isWorthRetrying
    }
  }
}

extension StepTrait where Work == FlowStep.Once {
  /// Retries of an operation object.
  @available(
    *, unavailable,
    message:
      "An operation object runs only once. Write add(LoginOp(), .retry(…)) without the label: each attempt makes one."
  )
  public static func retry(
    _ policy: FlowRetryPolicy, when isWorthRetrying: (@Sendable (_ error: any Error) -> Bool)? = nil
  ) -> Self { Self { _ in } }
}

/// The scope of a time limit: each attempt, or all of them together.
public enum FlowTimeoutScope: Sendable, Hashable {
  /// Each attempt has the whole time.
  case eachAttempt
  /// All attempts and the delays between them share the time.
  case allAttempts
}

extension StepTrait where Work: FlowStep.LeafWork {
  /// Limits the time of the step; in a group, of each item.
  ///
  /// When the time is over, the attempt is cancelled, and fails with the code `timedOut`, whatever it reports later.
  /// The time starts after the wait for limiters, and continues while the run is paused. Abandoned work may still write
  /// to the bucket, and releases its permits when it ends. A step can have one limit of each scope, with one patience.
  /// See <doc:WhenThingsFail>.
  ///
  /// - Parameters:
  ///   - time: The time on the run's clock; the flow is refused if it isn't longer than zero.
  ///   - scope: The attempts that the time is for: each attempt has it, or all attempts share it.
  ///   - patience: The time to wait for work that was cancelled because its time was over; `nil` to wait for its end.
  /// - Returns: The trait.
  public static func timeout(
    _ time: Duration, of scope: FlowTimeoutScope = .eachAttempt, abandoningAfter patience: Duration? = nil
  ) -> Self {
    Self { options in
      switch scope {
      case .eachAttempt:
        options.give(".timeout of each attempt")
        options.attempts[default: AttemptPlan()].timeout = time
      case .allAttempts:
        options.give(".timeout of all attempts")
        options.attempts[default: AttemptPlan()].totalTimeout = time
      }
      guard let patience else { return }
      options.give("abandoningAfter: of its time limits")
      options.attempts?.abandonsAfter = patience
    }
  }

  /// Calls a closure after the failure of the step's last attempt; in a group, of each item's last attempt.
  ///
  /// If the closure returns, the step counts as succeeded, and ``FlowReport/recoveries`` has the error. If the closure
  /// throws, the step fails with that error. It isn't called for a step that was cancelled. An item that recovered has
  /// no output.
  ///
  /// - Parameter body: A closure that handles the failure; it receives the error and the step's context.
  /// - Returns: The trait.
  public static func recover(
    _ body: @escaping @Sendable (_ error: any Error, _ context: FlowContext) async throws -> Void
  ) -> Self {
    Self { options in
      options.give(".recover")
      options.attempts[default: AttemptPlan()].recovers = true
      options.recover = body
    }
  }
}

extension StepTrait where Work == FlowStep.Composite {
  /// Retries of a step that contains others.
  @available(
    *, unavailable, message: "A step that contains others isn't tried again as a whole: give .retry to the steps in it."
  )
  public static func retry(
    _ policy: FlowRetryPolicy, when isWorthRetrying: (@Sendable (_ error: any Error) -> Bool)? = nil
  ) -> Self { Self { _ in } }

  /// A time limit of a step that contains others.
  @available(
    *, unavailable,
    message:
      "A step that contains others has no time limit: give .timeout to the steps in it, or the flow a deadline(_:)."
  )
  public static func timeout(
    _ time: Duration, of scope: FlowTimeoutScope = .eachAttempt, abandoningAfter patience: Duration? = nil
  ) -> Self { Self { _ in } }

  /// A recovery of a step that contains others.
  @available(
    *, unavailable, message: "A step that contains others doesn't recover as a whole: give .recover to the steps in it."
  )
  public static func recover(
    _ body: @escaping @Sendable (_ error: any Error, _ context: FlowContext) async throws -> Void
  ) -> Self { Self { _ in } }
}

/// The number of attempts of a step or an item, their time limits, and if it recovers.
package struct AttemptPlan: Sendable {
  package internal(set) var count = 1
  /// True if a number of attempts was given; otherwise the work has one attempt.
  var isCounted = false
  /// The time after which an attempt is cancelled and fails as timed out; `nil` for no limit.
  package var timeout: Duration?
  /// The time limit of all attempts together, including the delays between them; `nil` for no limit.
  package var totalTimeout: Duration?
  /// The time to wait for work that has timed out; `nil` to wait for its end.
  var abandonsAfter: Duration?
  package internal(set) var recovers = false

  /// The limit of attempts that end their process, so that work which ends it isn't tried forever.
  package var beginLimit: Int { isCounted ? count : Self.uncountedBeginLimit }

  /// The limit for work without a given number of attempts.
  package static let uncountedBeginLimit = 10

  package var isTimed: Bool { timeout != nil || totalTimeout != nil }
}
