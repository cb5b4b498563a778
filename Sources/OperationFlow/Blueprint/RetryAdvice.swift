/// What a failure means for the next attempt.
package enum RetryAdvice: Sendable, Hashable {
  /// What the plan says.
  case byPlan
  /// There is no other attempt.
  case stop
  /// The next attempt comes after a delay.
  case after(Duration)

  /// How long to wait before the next attempt; `nil` if there is none.
  func delay(by plan: AttemptPlan) -> Duration? {
    switch self {
    case .byPlan: plan.delay
    case .stop: nil
    case .after(let delay): delay
    }
  }
}
