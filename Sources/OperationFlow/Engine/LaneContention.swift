import Foundation

/// How often lanes lately had to wait for a run's lock.
///
/// If that happens between most ends of work, the work is so short that one lane alone is faster: what the lock guards
/// would have to pass from processor to processor each time.
struct LaneContention: Sendable {
  /// How long a lane makes way for the others: long compared to what it costs to add a lane, and short compared to work
  /// that is worth a second lane.
  static let rest = DispatchTimeInterval.milliseconds(1)

  private var waitCount: UInt32 = 0
  /// A bit for each of the last ends, the last one lowest.
  private var waits: UInt16 = 0

  /// Whether a lane had to wait before more than half of the last 16 ends.
  var isHigh: Bool { waits.nonzeroBitCount > 8 }

  /// Notes an end of work, with how often a thread has had to wait for the lock by now; returns whether contention is high.
  @discardableResult
  mutating func note(_ newCount: UInt32) -> Bool {
    if newCount == waitCount && waits == 0 { return false }
    waits = waits << 1 | (newCount == waitCount ? 0 : 1)
    waitCount = newCount
    return isHigh
  }
}
