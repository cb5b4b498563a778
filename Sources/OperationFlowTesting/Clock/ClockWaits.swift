import OperationFlow

/// The pieces of work of runs that a clock need not wait for: a plain value.
struct ClockWaits: Sendable {
  /// The number of waits of each piece of work, which is negative if the end of a wait is counted before its beginning.
  private var counts: [DrivenWork: Int] = [:]
  /// The number of changes in the waits, and in anything else that time waits for.
  var changeCount = 0

  mutating func countWait(of work: DrivenWork, begins: Bool) {
    let count = counts[work, default: 0] + (begins ? 1 : -1)
    counts[work] = count == 0 ? nil : count
    changeCount += 1
  }

  func contains(_ work: DrivenWork) -> Bool { counts[work, default: 0] > 0 }
}
