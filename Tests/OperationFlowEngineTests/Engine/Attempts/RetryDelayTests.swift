import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct RetryDelayTests {
  @Test func `delays grow by the factor up to the limit`() {
    let policy = FlowRetryPolicy.exponential(
      attempts: 9, first: .seconds(1), factor: 3, limit: .seconds(20), jitter: 0)
    #expect((2...6).map { policy.delay(before: $0, chance: 0.5) } == [1, 3, 9, 20, 20].map { .seconds($0) })
    let huge = FlowRetryPolicy.exponential(attempts: .max, first: .seconds(1), factor: 1e300, limit: .seconds(5))
    #expect(huge.delay(before: .max, chance: 0) == .seconds(5))
    #expect(FlowRetryPolicy.attempts(3, delay: .seconds(2)).delay(before: 3, chance: 1) == .seconds(2))
  }

  @Test func `jitter takes off a random part`() {
    let policy = FlowRetryPolicy.exponential(attempts: 9, first: .seconds(10), factor: 1, jitter: 0.5)
    #expect(policy.delay(before: 2, chance: 0) == .seconds(10))
    #expect(policy.delay(before: 2, chance: 1) == .seconds(5))
  }
}
