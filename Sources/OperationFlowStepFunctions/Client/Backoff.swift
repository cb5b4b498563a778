import Foundation
import OperationFlow

/// Growing delays with a random part, so that clients that were refused together don't retry at the same time.
///
/// Source of the method, "equal jitter": Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
struct Backoff: Sendable {
  private let first: Double
  private let limit: Double
  private let chance: Locked<SplitMix>

  /// Creates the delays; `first` is the longest first delay, and `limit` the longest of all, in seconds.
  init(first: Double, limit: Double, seed: UInt64?) {
    self.first = first
    self.limit = limit
    chance = Locked(SplitMix(seed: seed ?? .random(in: .min ... .max)))
  }

  /// Returns the time to wait after a number of failures in a row.
  func delay(after failures: Int) -> Duration {
    let longest = min(limit, first * pow(2, Double(max(0, failures - 1))))
    return .seconds(chance.withLock { Double.random(in: longest / 2...longest, using: &$0) })
  }
}
