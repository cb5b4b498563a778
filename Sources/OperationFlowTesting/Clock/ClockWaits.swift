import OperationFlow

/// The pieces of work of runs that a clock need not wait for: a plain value.
struct ClockWaits: Sendable {
  /// How often each waits; a wait may end before it is noted.
  private var counts: [DrivenWork: Int] = [:]
  /// How often any of it has changed, or what else time waits for.
  var changeCount = 0

  mutating func note(_ work: DrivenWork, _ isWaiting: Bool) {
    let count = counts[work, default: 0] + (isWaiting ? 1 : -1)
    counts[work] = count == 0 ? nil : count
    changeCount += 1
  }

  func contains(_ work: DrivenWork) -> Bool { counts[work, default: 0] > 0 }
}
