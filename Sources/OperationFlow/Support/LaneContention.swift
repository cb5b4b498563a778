import Foundation

/// How often lanes lately had to wait for each other when their work ended.
///
/// If that happens at most ends, the work is so short that one lane alone is faster: what the lock guards would have to
/// pass from processor to processor each time.
struct LaneContention: Sendable {
  /// How long a lane makes way for the others: long compared to what it costs to add a lane, and short compared to work
  /// that is worth a second lane.
  static let rest = DispatchTimeInterval.milliseconds(1)

  /// A bit for each of the last ends, the last one lowest.
  private var waits: UInt16 = 0

  /// Whether lanes had to wait at more than half of the last 16 ends.
  var isHigh: Bool { waits.nonzeroBitCount > 8 }

  /// Notes an end; returns whether contention is high now.
  @inline(__always) @discardableResult
  mutating func note(_ hadToWait: Bool) -> Bool { (hadToWait || waits != 0) && add(hadToWait) }

  @inline(never)
  private mutating func add(_ hadToWait: Bool) -> Bool {
    waits = waits << 1 | (hadToWait ? 1 : 0)
    return isHigh
  }
}
