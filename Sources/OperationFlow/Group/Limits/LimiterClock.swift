/// A clock whose type isn't known, with times as durations since this was made.
struct LimiterClock: Sendable {
  /// The longest sleep, because clocks may not be able to count further; a sleeper looks again afterwards.
  static let longestSleep = Duration.seconds(365 * 86_400)

  let now: @Sendable () -> Duration
  let sleep: @Sendable (_ until: Duration) async throws -> Void
}

extension Clock where Duration == Swift.Duration {
  /// The clock as a limiter uses it.
  var forLimiter: LimiterClock {
    let origin = now
    return LimiterClock(
      now: { origin.duration(to: self.now) },
      sleep: { try await self.sleep(until: origin.advanced(by: $0), tolerance: nil) })
  }
}
